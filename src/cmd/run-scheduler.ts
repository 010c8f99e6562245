// The scheduler of a process, from options and a client: what `plinth up` and `plinth scheduler` share.

import type { FeatureGates } from "../base/feature-gates.ts";
import { type Exposition, Metrics } from "../base/metrics.ts";
import type { Client } from "../client/client.ts";
import type { ElectionOptions } from "../client/election-flags.ts";
import { RELEASE } from "../meta/version.ts";
import type { GateName } from "../options/feature-gate-table.ts";
import { SCHEDULER_GATES, schedulerGates } from "../scheduler/scheduler-gates.ts";
import { schedulerMetrics } from "../scheduler/scheduler-metrics.ts";
import { buildScheduler, type SchedulerBuild } from "./build-scheduler.ts";
import { ELECTION_GATE, type RunningWork, runElected } from "./run-elected.ts";

export const SCHEDULER_COMPONENT = "kube-scheduler";

interface SchedulerRequest extends Pick<SchedulerBuild, "client" | "placing" | "log" | "threadProgram"> {
  readonly options: SchedulerBuild["options"] & ElectionOptions;
  readonly gates: FeatureGates<GateName>;
  /** Holds the lease of the leader; the same as of the scheduler when not given. Closed at the end. */
  readonly leaseClient?: Client | undefined;
  /** Those of the scheduler are shown among these, also while another process leads. */
  readonly metrics: Metrics;
  /** Whether it reads the cluster only once it leads; false when not given. */
  readonly delayCacheUntilActive?: boolean | undefined;
}

export function runScheduler(request: SchedulerRequest): RunningWork {
  const { options, log, client } = request;
  const gates = schedulerGates((gate) => request.gates.enabled(gate));
  const measuredHere = new Metrics({ release: RELEASE });
  const metrics = schedulerMetrics(measuredHere);
  let measured: Exposition = measuredHere;
  request.metrics.include({ expose: () => measured.expose() });
  const onMeasuredElsewhere = (elsewhere: Exposition) => {
    measured = elsewhere;
  };
  return runElected({
    options,
    gates: request.gates,
    log,
    metrics: request.metrics,
    leaseClient: request.leaseClient ?? client,
    build(fenced) {
      const built = buildScheduler({ ...request, gates, client: fenced(client), metrics, onMeasuredElsewhere });
      return request.delayCacheUntilActive ? { start: () => built.start(), stop: () => built.stop() } : built;
    },
    onBegin: () => log.info({}, "the scheduler begins"),
  });
}

/** Those that were set to something else than their default, and that the scheduler does not look at. */
export function gatesOfOthers({ changed }: Pick<FeatureGates<GateName>, "changed">): readonly GateName[] {
  return changed.filter((name) => name !== ELECTION_GATE && !Object.hasOwn(SCHEDULER_GATES, name));
}
