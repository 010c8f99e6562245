import { describe, expect, it } from "vitest";
import type { Pod } from "../../kinds/core/pod.ts";
import { type PodFailure, type PodStatus, podStatus, rejectedStatus } from "./pod-status.ts";
import { podWith, run, runtimePod, START_MS, sandbox } from "./runtime-pod.testing.ts";
import type { RuntimePod } from "./runtime-pod.ts";

interface Case {
  readonly spec?: object;
  readonly metadata?: object;
  readonly runtime: RuntimePod;
  readonly told?: Partial<PodStatus>;
  readonly waiting?: Record<string, [reason: string, message: string]>;
  readonly notReady?: readonly string[];
  readonly notStarted?: readonly string[];
  readonly isEnding?: boolean;
  readonly isStatic?: boolean;
  readonly failure?: PodFailure;
}

function statusOf(given: Case): PodStatus {
  const { spec = {}, metadata = {}, runtime, told = {}, waiting = {}, notReady = [], notStarted = [] } = given;
  return podStatus({
    pod: podWith(spec, metadata),
    runtime,
    told: told as PodStatus,
    waiting: new Map(Object.entries(waiting).map(([name, [reason, message]]) => [name, { reason, message }])),
    runtimeName: "test",
    isStarted: ({ name }) => !notStarted.includes(name),
    isReady: ({ name }) => !notReady.includes(name),
    hostIPs: ["192.0.2.1", "2001:db8::1"],
    nowMs: START_MS + 60_000,
    isEnding: given.isEnding ?? false,
    isStatic: given.isStatic ?? false,
    failure: given.failure,
  });
}

/** Phase, then each container: name and what it does, then conditions that are not True. */
function inShort({
  phase,
  initContainerStatuses = [],
  containerStatuses = [],
  ephemeralContainerStatuses = [],
}: PodStatus) {
  const all = [...initContainerStatuses, ...containerStatuses, ...ephemeralContainerStatuses];
  const shown = all.map(({ name, state, lastState, ready, restartCount }) => {
    const now = state.running
      ? "running"
      : state.terminated
        ? `exit ${state.terminated.exitCode}`
        : (state.waiting?.reason ?? "waiting");
    const last = lastState.terminated === undefined ? "" : ` after ${lastState.terminated.exitCode}`;
    return `${name}: ${now}${last}${ready ? " ready" : ""}${restartCount > 0 ? ` #${restartCount}` : ""}`;
  });
  return [phase, ...shown].join(", ");
}

const two = { containers: [{ name: "main" }, { name: "side" }] };
const init = { initContainers: [{ name: "one" }] };
const sidecar = { initContainers: [{ name: "proxy", restartPolicy: "Always" }] };
const never = { restartPolicy: "Never" };
const onFailure = { restartPolicy: "OnFailure" };
const failed = { exitCode: 3 };

describe("phase and states", () => {
  it.each<[string, Case, string]>([
    ["nothing yet", { runtime: runtimePod([], []) }, "Pending, main: ContainerCreating"],
    [
      "nothing yet, with init containers",
      { spec: init, runtime: runtimePod([], []) },
      "Pending, one: PodInitializing, main: PodInitializing",
    ],
    ["all run", { runtime: runtimePod([run("main")]) }, "Running, main: running ready"],
    ["not ready", { runtime: runtimePod([run("main")]), notReady: ["main"] }, "Running, main: running"],
    ["not started", { runtime: runtimePod([run("main")]), notStarted: ["main"] }, "Running, main: running"],
    ["only created", { runtime: runtimePod([run("main", "created")]) }, "Pending, main: waiting"],
    [
      "one waits",
      { spec: two, runtime: runtimePod([run("main")]) },
      "Pending, main: running ready, side: ContainerCreating",
    ],
    [
      "cannot be made",
      { runtime: runtimePod(), waiting: { main: ["CreateContainerError", "no"] } },
      "Pending, main: CreateContainerError",
    ],
    [
      "restarted",
      { runtime: runtimePod([run("main", "running", { restartCount: 1 }), run("main", "exited", failed)]) },
      "Running, main: running after 3 ready #1",
    ],
    [
      "restarted, the first run forgotten by the runtime",
      {
        runtime: runtimePod([run("main", "running", { restartCount: 1 })]),
        told: {
          containerStatuses: [
            {
              name: "main",
              image: "",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { terminated: { exitCode: 3, startedAt: null, finishedAt: null } },
              lastState: {},
            },
          ],
        },
      },
      "Running, main: running after 3 ready #1",
    ],
    ["ended and starts again", { runtime: runtimePod([run("main", "exited", failed)]) }, "Running, main: exit 3"],
    [
      "crashes again and again",
      {
        runtime: runtimePod([run("main", "exited", { ...failed, restartCount: 4 })]),
        waiting: { main: ["CrashLoopBackOff", "back-off"] },
      },
      "Running, main: CrashLoopBackOff after 3 #4",
    ],
    ["succeeded", { spec: never, runtime: runtimePod([run("main", "exited")]) }, "Succeeded, main: exit 0"],
    ["failed", { spec: never, runtime: runtimePod([run("main", "exited", failed)]) }, "Failed, main: exit 3"],
    [
      "a reason is not told of what shall not start",
      { spec: never, runtime: runtimePod([run("main", "exited")]), waiting: { main: ["CrashLoopBackOff", ""] } },
      "Succeeded, main: exit 0",
    ],
    [
      "one still runs",
      { spec: { ...two, ...never }, runtime: runtimePod([run("main", "exited", failed), run("side")]) },
      "Running, main: exit 3, side: running ready",
    ],
    [
      "on failure, succeeded",
      { spec: onFailure, runtime: runtimePod([run("main", "exited")]) },
      "Succeeded, main: exit 0",
    ],
    [
      "on failure, failed",
      { spec: onFailure, runtime: runtimePod([run("main", "exited", failed)]) },
      "Running, main: exit 3",
    ],
    [
      "ending, one failed",
      { runtime: runtimePod([run("main", "exited", { exitCode: 137 })]), isEnding: true },
      "Failed, main: exit 137",
    ],
    [
      "ending, all succeeded",
      { runtime: runtimePod([run("main", "exited")]), isEnding: true },
      "Succeeded, main: exit 0",
    ],
    [
      "ending, from a file",
      { runtime: runtimePod([run("main", "exited")]), isEnding: true, isStatic: true },
      "Running, main: exit 0",
    ],
    ["init runs", { spec: init, runtime: runtimePod([run("one")]) }, "Pending, one: running, main: PodInitializing"],
    [
      "init is done",
      { spec: init, runtime: runtimePod([run("one", "exited")]) },
      "Pending, one: exit 0 ready, main: PodInitializing",
    ],
    [
      "init failed for good",
      { spec: { ...init, ...never }, runtime: runtimePod([run("one", "exited", failed)]) },
      "Failed, one: exit 3, main: PodInitializing",
    ],
    [
      "init crashes",
      { spec: init, runtime: runtimePod([run("one", "exited", failed)]), waiting: { one: ["CrashLoopBackOff", ""] } },
      "Pending, one: CrashLoopBackOff after 3, main: PodInitializing",
    ],
    [
      "sidecar has not started",
      { spec: sidecar, runtime: runtimePod([run("proxy")]), notStarted: ["proxy"] },
      "Pending, proxy: running, main: PodInitializing",
    ],
    [
      "sidecar beside the others",
      { spec: sidecar, runtime: runtimePod([run("main"), run("proxy")]) },
      "Running, proxy: running ready, main: running ready",
    ],
    [
      "sidecar ended beside the others",
      { spec: sidecar, runtime: runtimePod([run("main"), run("proxy", "exited", failed)]) },
      "Running, proxy: exit 3, main: running ready",
    ],
    [
      "ephemeral",
      { spec: { ephemeralContainers: [{ name: "debug" }] }, runtime: runtimePod([run("debug"), run("main")]) },
      "Running, main: running ready, debug: running",
    ],
    [
      "a last phase stays",
      { runtime: runtimePod([run("main")]), told: { phase: "Failed", reason: "Evicted" } },
      "Failed, main: running ready",
    ],
    [
      "a run that cannot be found any more",
      {
        runtime: runtimePod([]),
        told: {
          containerStatuses: [
            {
              name: "main",
              image: "",
              imageID: "",
              containerID: "test://x",
              ready: true,
              restartCount: 0,
              state: { running: { startedAt: null } },
              lastState: {},
            },
          ],
        },
      },
      "Running, main: ContainerCreating after 137 #1",
    ],
  ])("%s", (_, given, expected) => {
    expect(inShort(statusOf(given))).toBe(expected);
  });
});

const conditionsOf = (status: PodStatus) =>
  (status.conditions ?? []).map(({ type, status, reason, message }) =>
    [type, status, ...(reason ? [reason] : []), ...(message ? [message] : [])].join(" "),
  );

describe("conditions", () => {
  it.each<[string, Case, string[]]>([
    [
      "of a pod that runs",
      { runtime: runtimePod([run("main")]) },
      ["PodReadyToStartContainers True", "Initialized True", "Ready True", "ContainersReady True", "PodScheduled True"],
    ],
    [
      "of a pod that has not begun",
      { spec: init, runtime: runtimePod([], []) },
      [
        "PodReadyToStartContainers False",
        "Initialized False ContainersNotInitialized containers with incomplete status: [one]",
        "Ready False ContainersNotReady containers with unready status: [main]",
        "ContainersReady False ContainersNotReady containers with unready status: [main]",
        "PodScheduled True",
      ],
    ],
    [
      "of a pod that has succeeded",
      { spec: never, runtime: runtimePod([run("main", "exited")], [sandbox({ ready: false })]) },
      [
        "PodReadyToStartContainers False",
        "Initialized True PodCompleted",
        "Ready False PodCompleted",
        "ContainersReady False PodCompleted",
        "PodScheduled True",
      ],
    ],
    [
      "of a pod whose container's own rule has it start again",
      {
        spec: {
          ...never,
          containers: [
            { name: "main", restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [3] } }] },
          ],
        },
        runtime: runtimePod([run("main", "exited", failed)]),
      },
      [
        "PodReadyToStartContainers True",
        "Initialized True",
        "Ready False ContainersNotReady containers with unready status: [main]",
        "ContainersReady False ContainersNotReady containers with unready status: [main]",
        "PodScheduled True",
      ],
    ],
    [
      "of a pod that has failed",
      { spec: never, runtime: runtimePod([run("main", "exited", failed)]) },
      [
        "PodReadyToStartContainers True",
        "Initialized True",
        "Ready False PodFailed",
        "ContainersReady False PodFailed",
        "PodScheduled True",
      ],
    ],
    [
      "with gates of readiness",
      {
        spec: { readinessGates: [{ conditionType: "a/b" }, { conditionType: "c/d" }] },
        runtime: runtimePod([run("main")]),
        told: { conditions: [{ type: "c/d", status: "False", lastProbeTime: null, lastTransitionTime: null }] },
      },
      [
        "PodReadyToStartContainers True",
        "Initialized True",
        'Ready False ReadinessGatesNotReady corresponding condition of pod readiness gate "a/b" does not exist., the status of pod readiness gate "c/d" is not "True", but False',
        "ContainersReady True",
        "PodScheduled True",
        // What others have written stays.
        "c/d False",
      ],
    ],
  ])("%s", (_, given, expected) => {
    expect(conditionsOf(statusOf(given))).toEqual(expected);
  });

  it("keep their time while their status stays, and name the generation that they are about", () => {
    const told = {
      conditions: [{ type: "Ready", status: "True", lastProbeTime: null, lastTransitionTime: "2029-01-01T00:00:00Z" }],
    };
    const status = statusOf({ runtime: runtimePod([run("main")]), told, metadata: { generation: 7 } });
    const times = Object.fromEntries(
      (status.conditions ?? []).map(({ type, lastTransitionTime }) => [type, lastTransitionTime]),
    );
    expect(times).toMatchObject({ Ready: "2029-01-01T00:00:00Z", ContainersReady: "2030-01-01T00:01:00Z" });
    expect(status.conditions?.every(({ observedGeneration }) => observedGeneration === 7)).toBe(true);
    expect(status.observedGeneration).toBe(7);
  });
});

describe("the rest of the status", () => {
  it("has addresses, start and class of service", () => {
    expect(statusOf({ runtime: runtimePod([run("main")], [sandbox({ ips: ["10.0.0.1", "fd00::1"] })]) })).toMatchObject(
      {
        hostIP: "192.0.2.1",
        hostIPs: [{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }],
        podIP: "10.0.0.1",
        podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }],
        startTime: "2030-01-01T00:01:00Z",
        qosClass: "BestEffort",
      },
    );
  });

  it("has the node's addresses in the node's network", () => {
    const status = statusOf({
      spec: { hostNetwork: true },
      runtime: runtimePod([run("main")], [sandbox({ hostNetwork: true, ips: [] })]),
    });
    expect(status.podIPs).toEqual([{ ip: "192.0.2.1" }, { ip: "2001:db8::1" }]);
  });

  it("keeps the address of a sandbox that has ended, and the start", () => {
    const told = { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }], startTime: "2029-01-01T00:00:00Z" };
    expect(statusOf({ runtime: runtimePod([], [sandbox({ ready: false })]), told })).toMatchObject(told);
  });

  it("tells identity, image and times of each run", () => {
    const [status] = statusOf({
      spec: never,
      runtime: runtimePod([run("main", "exited", { ...failed, message: "bye" })]),
    }).containerStatuses!;
    expect(status).toMatchObject({
      containerID: "test://main-0",
      image: "example.com/app:1",
      imageID: "sha256:1",
      started: false,
      state: {
        terminated: {
          exitCode: 3,
          reason: "Error",
          message: "bye",
          startedAt: "2030-01-01T00:00:00Z",
          finishedAt: "2030-01-01T00:00:01Z",
          containerID: "test://main-0",
        },
      },
    });
  });

  it("tells what each run has and what was set aside for it, and of none when there is no run", () => {
    const resources = { requests: { cpu: "100m" }, limits: { cpu: "200m" } };
    const spec = { containers: [{ name: "main", resources }, { name: "side" }] };
    const [main, side] = statusOf({ spec, runtime: runtimePod([run("main", "exited"), run("side")]) })
      .containerStatuses!;
    expect(main).toMatchObject({ resources, allocatedResources: { cpu: "100m" } });
    expect(side).toMatchObject({ resources: {} });
    expect(side).not.toHaveProperty("allocatedResources");
    expect(statusOf({ spec, runtime: runtimePod([], []) }).containerStatuses![0]).not.toHaveProperty("resources");
  });

  it("gives a run that never began the time of 0", () => {
    const neverBegan = run("main", "exited", { exitCode: 128, startedAtMs: 0 });
    const [status] = statusOf({ spec: never, runtime: runtimePod([neverBegan]) }).containerStatuses!;
    expect(status?.state?.terminated?.startedAt).toBe("1970-01-01T00:00:00Z");
  });

  it("says why the pod was ended once nothing of it runs, and goes on saying so", () => {
    const failure = { reason: "Evicted", message: "too much", isDisruption: true };
    const target = { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet" };
    const stopping = statusOf({ runtime: runtimePod([run("main")]), failure, told: { phase: "Running" } });
    expect(stopping.phase).toBe("Running");
    expect(stopping).not.toHaveProperty("reason");
    expect(stopping.conditions?.map(({ type }) => type)).not.toContain(target.type);
    const killed = runtimePod([run("main", "exited", { exitCode: 137 })]);
    const ended = statusOf({ runtime: killed, failure, told: stopping, isEnding: true });
    expect(ended).toMatchObject({ phase: "Failed", reason: "Evicted", message: "too much" });
    expect(ended.conditions).toContainEqual(expect.objectContaining(target));
    expect(statusOf({ runtime: killed, told: ended })).toMatchObject({ phase: "Failed", reason: "Evicted" });
  });

  it("of the node's own pods says so at once", () => {
    const failure = { reason: "Terminated", message: "shutdown" };
    expect(statusOf({ runtime: runtimePod([run("main")]), failure, isStatic: true })).toMatchObject({
      phase: "Failed",
      ...failure,
    });
  });

  it("is a success where every container ended well all the same, unless time was up", () => {
    const failure = { reason: "Terminated", message: "shutdown", isDisruption: true };
    const runtime = runtimePod([run("main", "exited")]);
    const ended = statusOf({ runtime, failure, isEnding: true });
    expect(ended.phase).toBe("Succeeded");
    expect(ended).not.toHaveProperty("reason");
    expect(ended.conditions?.map(({ type }) => type)).toContain("DisruptionTarget");
    const late = { reason: "DeadlineExceeded", message: "too long", isFinal: true };
    expect(statusOf({ runtime, failure: late, isEnding: true })).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
    });
  });

  it.each<[string, Case, string]>([
    ["one that waits for its image", { runtime: runtimePod([]) }, "Failed, main: exit 137"],
    [
      "one that waits to start again",
      {
        runtime: runtimePod([run("main", "exited", { exitCode: 1 })]),
        waiting: { main: ["CrashLoopBackOff", "back-off"] },
      },
      "Failed, main: exit 137 after 1",
    ],
    [
      "one whose turn has not come",
      {
        spec: init,
        runtime: runtimePod([run("one", "exited")]),
        told: { initContainerStatuses: [{ name: "one", state: { running: {} } }] as never },
      },
      "Failed, one: exit 0 ready, main: PodInitializing",
    ],
    [
      "one after the first that has not begun",
      { spec: { initContainers: [{ name: "one" }, { name: "two" }] }, runtime: runtimePod([]) },
      "Failed, one: exit 137, two: PodInitializing, main: PodInitializing",
    ],
    [
      "one whose sidecar was up",
      {
        spec: sidecar,
        runtime: runtimePod([run("proxy", "exited")]),
        told: { initContainerStatuses: [{ name: "proxy", started: true, state: { running: {} } }] as never },
      },
      "Failed, proxy: exit 0, main: exit 137",
    ],
  ])("of a pod that has ended says how %s did", (_, given, expected) => {
    const failure = { reason: "Terminated", message: "shutdown" };
    const ended = statusOf({ ...given, failure, isEnding: true });
    expect(inShort(ended)).toBe(expected);
    // And again when it is asked for once more.
    expect(inShort(statusOf({ ...given, failure, told: ended, isEnding: true }))).toBe(expected);
  });

  it("says why the node does not take the pod", () => {
    const pod: Pod = podWith({}, {}, { phase: "Pending" });
    expect(rejectedStatus(pod, { reason: "OutOfpods", message: "too many" }, START_MS)).toMatchObject({
      phase: "Failed",
      reason: "OutOfpods",
      message: "Pod was rejected: too many",
      startTime: "2030-01-01T00:00:00Z",
    });
  });
});
