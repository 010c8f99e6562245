import { afterEach, describe, expect, it } from "vitest";
import { RunningNode } from "./pod-runner.testing.ts";

let node: RunningNode;
afterEach(async () => await node.close());

/** The value of one series; "gone" where there is none. */
const seriesValue = (text: string, series: string): string =>
  text
    .split("\n")
    .find((line) => line.startsWith(`${series} `))
    ?.slice(series.length + 1) ?? "gone";

describe("the metrics of pods", () => {
  it("tell what there is, what has happened and how often it went wrong", async () => {
    node = await RunningNode.start();
    const [pod, refused] = [await node.run(), await node.run({ nodeSelector: { zone: "b" } })];
    await node.running(pod);
    await node.untilPod(refused, "it is refused", ({ status }) => status.phase === "Failed");
    node.runtime.overrides.startContainer = () => {
      throw new Error("no such file");
    };
    const broken = await node.run({ initContainers: [{ name: "first", image: "example.com/app:1" }] });
    await node.waiting(broken, "RunContainerError");
    const text = await node.metrics();
    const expected = {
      'kubelet_active_pods{static=""}': "2",
      'kubelet_active_pods{static="true"}': "0",
      'kubelet_desired_pods{static=""}': "3",
      'kubelet_working_pods{config="desired",lifecycle="sync",static=""}': "2",
      'kubelet_working_pods{config="desired",lifecycle="terminated",static=""}': "1",
      kubelet_running_pods: "2",
      'kubelet_running_containers{container_state="running"}': "1",
      kubelet_mirror_pods: "0",
      kubelet_managed_ephemeral_containers: "0",
      'kubelet_admission_rejections_total{reason="NodeAffinity"}': "1",
      kubelet_started_pods_total: "2",
      kubelet_started_pods_errors_total: "0",
      'kubelet_started_containers_total{container_type="container"}': "1",
      'kubelet_started_containers_errors_total{container_type="init_container",code="RunContainerError"}': "1",
      kubelet_containers_per_pod_count_count: "3",
      kubelet_pod_start_duration_seconds_count: "1",
      kubelet_pod_start_total_duration_seconds_count: "1",
      'kubelet_pod_worker_duration_seconds_count{operation_type="create"}': "2",
      'kubelet_run_podsandbox_duration_seconds_count{runtime_handler=""}': "2",
      kubelet_orphaned_runtime_pods_total: "0",
    };
    expect(Object.fromEntries(Object.keys(expected).map((series) => [series, seriesValue(text, series)]))).toEqual(
      expected,
    );
    for (const name of [
      "pleg_relist_duration_seconds",
      "pleg_relist_interval_seconds",
      "pod_status_sync_duration_seconds",
    ])
      expect(Number(seriesValue(text, `kubelet_${name}_count`))).toBeGreaterThan(0);
  });
});
