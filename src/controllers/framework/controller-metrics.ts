// What is measured of single controllers beside their queues, under upstream's names. Times in seconds.

import { ALPHA } from "../../base/metric-words.ts";
import { Metrics } from "../../base/metrics.ts";
import { type AutoscalerMetrics, autoscalerMetrics } from "./metrics/autoscaler-metrics.ts";
import { type JobMetrics, jobMetrics } from "./metrics/job-metrics.ts";
import { type NodeMetrics, nodeMetrics } from "./metrics/node-metrics.ts";
import { type SliceMetrics, sliceMetrics } from "./metrics/slice-metrics.ts";

export type { ScalingAction, ScalingError } from "./metrics/autoscaler-metrics.ts";
export type { JobTurn } from "./metrics/job-metrics.ts";
export type { SliceSums, SliceTurn } from "./metrics/slice-metrics.ts";

export interface ControllerMetrics extends JobMetrics, NodeMetrics, SliceMetrics, AutoscalerMetrics {
  /** The garbage collector could not learn which kinds there are, or lost sight of one. */
  kindsNotFollowed(): void;
  /** A claim of an ephemeral volume was asked for, or could not be had. */
  ephemeralClaimMade(isMade: boolean): void;
}

/** Without a registry nobody is shown what is measured. */
export function controllerMetrics(metrics = new Metrics({ release: "" })): ControllerMetrics {
  const kindErrors = metrics.counter({
    ...ALPHA,
    name: "garbagecollector_controller_resources_sync_error_total",
    help: "Number of garbage collector resources sync errors",
  });
  const claims = metrics.counter({
    ...ALPHA,
    name: "ephemeral_volume_controller_create_total",
    help: "Number of PersistentVolumeClaim creation requests",
  });
  const claimFailures = metrics.counter({
    ...ALPHA,
    name: "ephemeral_volume_controller_create_failures_total",
    help: "Number of PersistentVolumeClaim creation requests",
  });
  return {
    ephemeralClaimMade(isMade) {
      claims.with().inc();
      if (!isMade) claimFailures.with().inc();
    },
    ...jobMetrics(metrics),
    ...nodeMetrics(metrics),
    ...sliceMetrics(metrics),
    ...autoscalerMetrics(metrics),
    kindsNotFollowed: () => kindErrors.with().inc(),
  };
}
