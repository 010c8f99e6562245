import { describe, expect, it } from "vitest";
import { Metrics } from "../../base/metrics.ts";
import { controllerMetrics, UNMEASURED } from "./controller-metrics.ts";

async function textOf(metrics: Metrics): Promise<string[]> {
  let text = "";
  for await (const piece of metrics.expose()) text += piece;
  return text.split("\n");
}

describe("what is measured of controllers", () => {
  it("has upstream's names", async () => {
    const registry = new Metrics({ release: "1.34" });
    const measured = controllerMetrics(registry);
    measured.evicted(0.2);
    measured.zone("z", { size: 4, unhealthy: 1 });
    measured.nodeEvicted("z");
    measured.slicesSynced("success");
    measured.slicesChanged("create", 2);
    measured.slicesChanged("delete", 0);
    measured.jobFinished("Indexed", "failed", "BackoffLimitExceeded");
    measured.jobCreated(3);
    measured.finishedJobDeleted(0.3);
    expect(await textOf(registry)).toEqual(
      expect.arrayContaining([
        "taint_eviction_controller_pod_deletions_total 1",
        'taint_eviction_controller_pod_deletion_duration_seconds_bucket{le="0.5"} 1',
        'node_collector_zone_size{zone="z"} 4',
        'node_collector_zone_health{zone="z"} 75',
        'node_collector_unhealthy_nodes_in_zone{zone="z"} 1',
        'node_collector_evictions_total{zone="z"} 1',
        'endpoint_slice_controller_syncs{result="success"} 1',
        'endpoint_slice_controller_changes{operation="create"} 2',
        'job_controller_jobs_finished_total{completion_mode="Indexed",result="failed",reason="BackoffLimitExceeded"} 1',
        'cronjob_controller_job_creation_skew_duration_seconds_bucket{le="4"} 1',
        "ttl_after_finished_controller_job_deletion_duration_seconds_count 1",
      ]),
    );
  });

  it("is nothing without a registry", () => expect(controllerMetrics(undefined)).toBe(UNMEASURED));
});
