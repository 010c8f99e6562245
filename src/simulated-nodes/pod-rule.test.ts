import { describe, expect, it } from "vitest";
import type { Stored } from "../client/informer.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { PodAddresses } from "./pod-addresses.ts";
import { nextPodStep } from "./pod-rule.ts";
import { podSettings } from "./pod-settings.ts";

const NOW = Date.parse("2030-01-01T00:01:00Z");
const moment = { nowMs: NOW, hostIP: "172.16.0.1", podIP: "10.128.0.1" };
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString().replace(".000Z", "Z");

/** As tests write pods: what matters, loosely typed. */
function pod({ metadata = {}, spec = {}, status = {} }: Record<string, object>): Stored<Pod> {
  return {
    metadata: { name: "p", namespace: "default", uid: "u", resourceVersion: "1", ...metadata },
    spec: { containers: [{ name: "app", image: "app" }], restartPolicy: "Always", ...spec },
    status: { phase: "Pending", ...status },
  } as unknown as Stored<Pod>;
}

const waiting = { containerStatuses: [{ name: "app", restartCount: 0, state: { waiting: {} } }] };
const runningSince = (seconds: number) => ({
  phase: "Running",
  startTime: ago(seconds),
  conditions: [{ type: "Ready", status: "True" }],
  containerStatuses: [{ name: "app", restartCount: 0, state: { running: { startedAt: ago(seconds) } } }],
});
const deleted = (secondsAgo: number, graceSeconds: number, annotations = {}) => ({
  annotations,
  deletionGracePeriodSeconds: graceSeconds,
  deletionTimestamp: ago(secondsAgo - graceSeconds),
});
const TASK = { restartPolicy: "Never" };

describe("what happens next to a pod", () => {
  it.each<[string, Parameters<typeof pod>[0], object]>([
    ["new: it is taken", {}, { type: "report", status: { phase: "Pending", startTime: ago(0) } }],
    [
      "taken just now: it starts later",
      { status: { startTime: ago(0), ...waiting } },
      { type: "wait", untilMs: NOW + 1000 },
    ],
    ["taken a while ago: it runs", { status: { startTime: ago(1), ...waiting } }, { status: { phase: "Running" } }],
    ["running: nothing", { status: runningSince(100) }, { type: "nothing" }],
    ["a task that runs: it ends later", { spec: TASK, status: runningSince(1) }, { type: "wait", untilMs: NOW + 1000 }],
    [
      "a task that has run: it has succeeded",
      { spec: TASK, status: runningSince(2) },
      { status: { phase: "Succeeded" } },
    ],
    ["ended: nothing", { status: { ...runningSince(9), phase: "Succeeded" } }, { type: "nothing" }],
    [
      "running for too long: it has failed",
      { spec: { activeDeadlineSeconds: 30 }, status: runningSince(30) },
      { status: { phase: "Failed", reason: "DeadlineExceeded" } },
    ],
    [
      "running with a deadline: it is looked at then",
      { spec: { activeDeadlineSeconds: 30 }, status: runningSince(10) },
      { type: "wait", untilMs: NOW + 20_000 },
    ],
    ["deleted before it was taken: it is gone", { metadata: deleted(1, 30) }, { type: "remove" }],
    [
      "deleted while it runs: its containers end",
      { metadata: deleted(0, 30), status: runningSince(9) },
      { status: { phase: "Succeeded", containerStatuses: [{ state: { terminated: { exitCode: 0 } } }] } },
    ],
    [
      "deleted, and slow: it has its grace",
      { metadata: deleted(2, 30, { "simulation/stop-after": "10s" }), status: runningSince(9) },
      { type: "wait", untilMs: NOW + 8000 },
    ],
    [
      "deleted, with a pause before it stops: the longest of its containers counts",
      {
        metadata: deleted(2, 30),
        spec: {
          containers: [
            { name: "app" },
            ...[10, 4].map((seconds) => ({ lifecycle: { preStop: { sleep: { seconds } } } })),
          ],
        },
        status: runningSince(9),
      },
      { type: "wait", untilMs: NOW + 8000 },
    ],
    [
      "deleted, and slower than its grace: it is killed",
      { metadata: deleted(5, 5, { "simulation/stop-after": "1h" }), status: runningSince(9) },
      { status: { phase: "Failed", containerStatuses: [{ state: { terminated: { exitCode: 137 } } }] } },
    ],
    [
      "deleted a while ago, and nobody came to it: it is gone",
      { metadata: deleted(6, 30), status: runningSince(9) },
      { type: "remove" },
    ],
    [
      "deleted a while ago, and kept by finalizers: its containers end",
      { metadata: { ...deleted(6, 30), finalizers: ["example.com/keep"] }, status: runningSince(9) },
      { status: { phase: "Succeeded" } },
    ],
    [
      "deleted and ended: it is gone",
      { metadata: deleted(5, 30), status: { ...runningSince(9), phase: "Failed" } },
      { type: "remove" },
    ],
    [
      "deleted for good, kept by finalizers: nothing",
      { metadata: deleted(5, 0), status: { ...runningSince(9), phase: "Failed" } },
      { type: "nothing" },
    ],
  ])("%s", (_what, parts, step) => expect(nextPodStep(pod(parts), moment)).toMatchObject(step));

  it("goes by the exact time where that is known", () => {
    const taken = pod({ status: { startTime: ago(0), ...waiting } });
    expect(nextPodStep(taken, { ...moment, sinceMs: NOW - 400 })).toEqual({ type: "wait", untilMs: NOW + 600 });
  });

  it.each([
    [900, "Pending"],
    [1000, "Running"],
  ])("says of a pod that was bound %i ms ago that it is %s", (agoMs, phase) => {
    const step = nextPodStep(pod({}), { ...moment, sinceMs: NOW - agoMs });
    expect(step).toMatchObject({ type: "report", status: { phase, startTime: ago(0) } });
  });

  it.each<[string, object, object, object]>([
    ["runs in a moment: it waits", {}, { sinceMs: NOW - 400 }, { type: "wait", untilMs: NOW + 600 }],
    ["is due: it runs", {}, { sinceMs: NOW - 1_000 }, { status: { phase: "Running" } }],
    ["came before the process: it is taken", {}, {}, { status: { phase: "Pending", startTime: ago(0) } }],
    [
      "takes long to start: it is taken",
      { metadata: { annotations: { "simulation/start-after": "1m" } } },
      { sinceMs: NOW },
      { status: { phase: "Pending", startTime: ago(0) } },
    ],
  ])("where many start at once, and this one %s", (_, draft, known, expected) => {
    expect(nextPodStep(pod(draft as Parameters<typeof pod>[0]), { ...moment, ...known, isBusy: true })).toMatchObject(
      expected,
    );
  });

  it("keeps what others say of the pod", () => {
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: ago(9), lastProbeTime: null };
    const other = { type: "example.com/checked", status: "True", lastTransitionTime: ago(5), lastProbeTime: null };
    const step = nextPodStep(pod({ status: { conditions: [scheduled, other] } }), moment);
    expect(step).toMatchObject({ status: { conditions: expect.arrayContaining([scheduled, other]) } });
  });

  it("says of every condition of the node which generation of the pod it saw", () => {
    const scheduled = { type: "PodScheduled", status: "True", lastTransitionTime: ago(9), lastProbeTime: null };
    const step = nextPodStep(pod({ metadata: { generation: 3 }, status: { conditions: [scheduled] } }), moment);
    expect(step).toMatchObject({
      status: {
        observedGeneration: 3,
        conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
          (type) => ({ type, observedGeneration: 3 }),
        ),
      },
    });
  });

  it.each<[string, object, object]>([
    ["runs", runningSince(9), { phase: "Running", startTime: ago(9) }],
    ["has yet to start", { startTime: ago(0), ...waiting }, { phase: "Pending", startTime: ago(0) }],
  ])("sees a new generation of a pod that %s, and begins nothing", (_, status, expected) => {
    const seen = pod({ metadata: { generation: 2 }, status: { ...status, observedGeneration: 1 } });
    const step = nextPodStep(seen, moment);
    expect(step).toMatchObject({ type: "report", begins: false, status: { ...expected, observedGeneration: 2 } });
    const unknown = pod({ metadata: { generation: 2 }, status });
    expect(nextPodStep(unknown, moment).type, "of a server that does not keep it").not.toBe("report");
  });

  it("starts a container again whose image is another one", () => {
    const [container] = runningSince(9).containerStatuses;
    const old = { ...runningSince(9), observedGeneration: 1, containerStatuses: [{ ...container, image: "app:old" }] };
    expect(nextPodStep(pod({ metadata: { generation: 2 }, status: old }), moment)).toMatchObject({
      status: {
        containerStatuses: [
          {
            image: "app",
            restartCount: 1,
            state: { running: { startedAt: ago(0) } },
            lastState: { terminated: { exitCode: 0, startedAt: ago(9), finishedAt: ago(0) } },
          },
        ],
      },
    });
  });
});

describe("what annotations say", () => {
  it.each<[Record<string, string>, "Always" | "Never", object]>([
    [{}, "Always", { startAfterMs: 1000, finishAfterMs: undefined, exitCode: 0, stopAfterMs: 0 }],
    [{}, "Never", { finishAfterMs: 2000 }],
    [
      { "simulation/start-after": "1m30s", "simulation/exit-code": "7" },
      "Always",
      { startAfterMs: 90_000, exitCode: 7 },
    ],
    [{ "simulation/finish-after": "900000h" }, "Always", { finishAfterMs: 86_400_000 }],
    [{ "simulation/start-after": "soon", "simulation/exit-code": "300" }, "Never", { startAfterMs: 1000, exitCode: 0 }],
  ])("%j with %s", (annotations, policy, settings) =>
    expect(podSettings(annotations, { restartPolicy: policy, containers: [] })).toMatchObject(settings),
  );
});

describe("addresses of pods", () => {
  it("are handed out once, kept, and free again afterwards", () => {
    const addresses = new PodAddresses();
    addresses.restore("old", "10.128.0.1");
    addresses.restore("odd", "no address");
    const [a, b] = [addresses.of("a"), addresses.of("b")];
    expect([addresses.of("old"), a, b, addresses.of("a")]).toEqual(["10.128.0.1", "10.128.0.2", "10.128.0.3", a]);
    addresses.release("old");
    addresses.restore("c", "10.128.0.1");
    expect(addresses.of("c")).toBe("10.128.0.1");
  });
});
