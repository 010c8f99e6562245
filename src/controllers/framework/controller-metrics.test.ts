import { expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { type ControllerMetrics, controllerMetrics } from "./controller-metrics.ts";

const turn = { completionMode: "Indexed", result: "success", action: "tracking", seconds: 0.005 } as const;
const slices = {
  created: 2,
  updated: 0,
  deleted: 1,
  endpointsAdded: 3,
  endpointsRemoved: 0,
  topologyAware: true,
  trafficDistribution: "PreferClose",
};
const sums = { endpoints: 7, slices: 3, neededSlices: 2, servicesByDistribution: new Map([["PreferClose", 1]]) };
const volumes = { desired: new Map([["p:d", 2]]), actual: new Map([["p:d", 1]]) };

it.each<[(measured: ControllerMetrics) => void, ...lines: string[]]>([
  [
    (measured) => measured.evicted(0.2),
    "taint_eviction_controller_pod_deletions_total 1",
    'taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.5"} 1',
  ],
  [
    (measured) => measured.deviceEvicted(0.2),
    "device_taint_eviction_controller_pod_deletions_total 1",
    'device_taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.5"} 1',
  ],
  [
    (measured) => measured.zone("z", { size: 4, unhealthy: 1 }),
    'node_collector_zone_size{zone="z"} 4',
    'node_collector_zone_health{zone="z"} 75',
    'node_collector_unhealthy_nodes_in_zone{zone="z"} 1',
  ],
  [(measured) => measured.nodeEvicted("z"), 'node_collector_evictions_total{zone="z"} 1'],
  [
    (measured) => measured.nodeLookedAt(0.004),
    'node_collector_update_node_health_duration_seconds_bucket{le="0.004"} 1',
  ],
  [
    (measured) => measured.nodesLookedAt(0.1),
    'node_collector_update_all_nodes_health_duration_seconds_bucket{le="0.16"} 1',
  ],
  [
    (measured) => measured.forciblyDetached("timeout"),
    'attach_detach_controller_attachdetach_controller_forced_detaches{reason="timeout"} 1',
  ],
  [
    (measured) => measured.setVolumeCounts(() => volumes),
    'attachdetach_controller_total_volumes{plugin_name="p:d",state="desired_state_of_world"} 2',
    'attachdetach_controller_total_volumes{plugin_name="p:d",state="actual_state_of_world"} 1',
  ],
  [(measured) => measured.slicesSynced("success"), 'endpoint_slice_controller_syncs{result="success"} 1'],
  [
    (measured) => measured.slicesChanged(slices),
    'endpoint_slice_controller_changes{operation="create"} 2',
    'endpoint_slice_controller_changes{operation="delete"} 1',
    'endpoint_slice_controller_endpoints_added_per_sync_bucket{le="4"} 1',
    'endpoint_slice_controller_endpoints_removed_per_sync_bucket{le="2"} 1',
    'endpoint_slice_controller_endpointslices_changed_per_sync_bucket{topology="Auto",traffic_distribution="PreferClose",le="5"} 1',
  ],
  [
    (measured) => measured.setSliceSums(sums),
    "endpoint_slice_controller_endpoints_desired 7",
    "endpoint_slice_controller_num_endpoint_slices 3",
    "endpoint_slice_controller_desired_endpoint_slices 2",
    'endpoint_slice_controller_services_count_by_traffic_distribution{traffic_distribution="PreferClose"} 1',
  ],
  [
    (measured) => measured.jobSynced(turn),
    'job_controller_job_syncs_total{completion_mode="Indexed",result="success",action="tracking"} 1',
    'job_controller_job_sync_duration_seconds_bucket{completion_mode="Indexed",result="success",action="tracking",le="0.008"} 1',
  ],
  [
    (measured) => measured.jobFinished("Indexed", "failed", "BackoffLimitExceeded"),
    'job_controller_jobs_finished_total{completion_mode="Indexed",result="failed",reason="BackoffLimitExceeded"} 1',
  ],
  [
    (measured) => measured.jobPodsFinished("NonIndexed", "succeeded", 2),
    'job_controller_job_pods_finished_total{completion_mode="NonIndexed",result="succeeded"} 2',
  ],
  [
    (measured) => measured.jobIndexesFinished("failed", "perIndex", 2),
    'job_controller_job_finished_indexes_total{status="failed",backoffLimit="perIndex"} 2',
  ],
  [
    (measured) => measured.jobPodsCreated("recreate_failed", "succeeded", 3),
    'job_controller_job_pods_creation_total{reason="recreate_failed",status="succeeded"} 3',
  ],
  [
    (measured) => measured.jobFailurePolicyApplied("Ignore"),
    'job_controller_pod_failures_handled_by_failure_policy_total{action="Ignore"} 1',
  ],
  [
    (measured) => measured.jobFinalizerSeen("add"),
    'job_controller_terminated_pods_tracking_finalizer_total{event="add"} 1',
  ],
  [
    (measured) => measured.jobOfOthers("acme.io/x"),
    'job_controller_jobs_by_external_controller_total{controller_name="acme.io/x"} 1',
  ],
  [(measured) => measured.jobCreated(3), 'cronjob_controller_job_creation_skew_duration_seconds_bucket{le="4"} 1'],
  [
    (measured) => measured.finishedJobDeleted(0.3),
    "ttl_after_finished_controller_job_deletion_duration_seconds_count 1",
  ],
  [
    (measured) => measured.autoscalerLooked("scale_up", "none", 0.002),
    'horizontal_pod_autoscaler_controller_reconciliations_total{action="scale_up",error="none"} 1',
    'horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_bucket{action="scale_up",error="none",le="0.002"} 1',
  ],
  [
    (measured) => measured.autoscalerMetricRead("none", "internal", "Resource", 0.002),
    'horizontal_pod_autoscaler_controller_metric_computation_total{action="none",error="internal",metric_type="Resource"} 1',
    'horizontal_pod_autoscaler_controller_metric_computation_duration_seconds_bucket{action="none",error="internal",metric_type="Resource",le="0.002"} 1',
  ],
  [
    (measured) => measured.ephemeralClaimMade(false),
    "ephemeral_volume_controller_create_total 1",
    "ephemeral_volume_controller_create_failures_total 1",
  ],
  [
    (measured) => measured.endpointsMirrored(0.002),
    'endpoint_slice_mirroring_controller_endpoints_sync_duration_bucket{le="0.002"} 1',
  ],
  [(measured) => measured.kindsNotFollowed(), "garbagecollector_controller_resources_sync_error_total 1"],
])("%s shows as upstream says it", async (measure, ...lines) => {
  const registry = new Metrics({ release: "1.34" });
  measure(controllerMetrics(registry));
  expect((await registry.text()).split("\n")).toEqual(expect.arrayContaining(lines));
});

it("has no series for every name that users think of", async () => {
  const registry = new Metrics({ release: "1.34" });
  const measured = controllerMetrics(registry);
  for (let index = 0; index < 100; index += 1) measured.jobOfOthers(`acme.io/${index}`);
  const lines = (await registry.text())
    .split("\n")
    .filter((line) => line.startsWith("job_controller_jobs_by_external"));
  expect(lines).toHaveLength(65);
  expect(lines).toContain('job_controller_jobs_by_external_controller_total{controller_name="other"} 36');
});

it("is measured for nobody without a registry", () => {
  expect(() => controllerMetrics(undefined).kindsNotFollowed()).not.toThrow();
});
