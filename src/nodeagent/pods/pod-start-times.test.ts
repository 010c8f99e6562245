import { expect, it } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import { Metrics } from "../../base/metrics.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { PodStartTimes } from "./pod-start-times.ts";

it("counts from the creation of a pod until it is seen to run, without the time of its images", async () => {
  const clock = new FakeClock();
  const metrics = new Metrics({ release: "1.34.0" });
  const times = new PodStartTimes(metrics, clock);
  const creationTimestamp = new Date(clock.nowMs()).toISOString();
  const pod = (uid: string, status: object, hostNetwork = false): Pod =>
    ({ metadata: { uid, creationTimestamp }, spec: { hostNetwork }, status }) as unknown as Pod;
  const running = { startTime: "t", containerStatuses: [{ state: { running: { startedAt: "t" } } }] };

  times.shown(pod("a", {}));
  // One that another agent began, and one in the node's network, are no first pod.
  times.shown(pod("old", { startTime: "t" }));
  times.shown(pod("host", {}, true));
  await clock.advance(1_000);
  times.shown(pod("old", running));
  times.shown(pod("host", running, true));
  times.pulling("a");
  await clock.advance(5_000);
  times.pulled("a");
  times.shown(pod("a", { startTime: "t", containerStatuses: [{ state: { waiting: {} } }] }));
  await clock.advance(1_000);
  for (let again = 0; again < 2; again += 1) times.shown(pod("a", running));

  const text = await metrics.text();
  expect(text).toContain("kubelet_pod_start_total_duration_seconds_sum 8\n");
  expect(text).toContain("kubelet_pod_start_sli_duration_seconds_sum 3\n");
  expect(text).toContain("kubelet_pod_start_sli_duration_seconds_count 2\n");
  expect(text).toContain("kubelet_first_network_pod_start_sli_duration_seconds 2\n");
});
