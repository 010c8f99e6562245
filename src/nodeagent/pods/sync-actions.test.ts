import { describe, expect, it } from "vitest";
import { podWith, run, runtimePod, sandbox } from "./runtime-pod.testing.ts";
import type { RuntimePod } from "./runtime-pod.ts";
import { type FailedProbe, type SyncFacts, syncActions } from "./sync-actions.ts";

interface Case {
  readonly spec?: object;
  readonly metadata?: object;
  readonly runtime: RuntimePod;
  readonly failed?: Record<string, FailedProbe>;
  readonly started?: boolean;
  readonly hash?: string;
}

/** The actions in one line: what is done, in its order. */
function actionsOf({ spec = {}, metadata = {}, runtime, failed = {}, started = true, hash = "h" }: Case): string {
  const facts: SyncFacts = {
    pod: podWith(spec, metadata),
    runtime,
    failedProbes: new Map(Object.entries(failed)),
    isStarted: () => started,
    hashOf: () => hash,
  };
  const { killPod, sandboxAttempt, kill, start } = syncActions(facts);
  return [
    ...(killPod ? ["kill pod"] : []),
    ...(sandboxAttempt === undefined ? [] : [`sandbox ${sandboxAttempt}`]),
    ...kill.map(({ run: { id }, probe }) => `kill ${id}${probe === undefined ? "" : ` (${probe})`}`),
    ...start.map(({ sort, container }) => `start ${sort} ${container.name}`),
  ].join(", ");
}

const two = { containers: [{ name: "main" }, { name: "side" }] };
const init = { initContainers: [{ name: "one" }, { name: "two" }] };
const sidecar = { initContainers: [{ name: "proxy", restartPolicy: "Always" }, { name: "setup" }] };
const failed = { exitCode: 1 };

describe("a pod without a sandbox", () => {
  it.each<[string, Case, string]>([
    [
      "gets one and starts its containers",
      { spec: two, runtime: runtimePod([], []) },
      "sandbox 0, start regular main, start regular side",
    ],
    ["starts its first init container alone", { spec: init, runtime: runtimePod([], []) }, "sandbox 0, start init one"],
    [
      "gets another when the last one ended",
      { runtime: runtimePod([run("main", "exited")], [sandbox({ ready: false, attempt: 2 })]) },
      "kill pod, sandbox 3, start regular main",
    ],
    [
      "gets none when nothing is to run again",
      { spec: { restartPolicy: "Never" }, runtime: runtimePod([run("main", "exited")], [sandbox({ ready: false })]) },
      "kill pod",
    ],
    [
      "gets none when all has succeeded",
      {
        spec: { restartPolicy: "OnFailure" },
        runtime: runtimePod([run("main", "exited")], [sandbox({ ready: false })]),
      },
      "kill pod",
    ],
    [
      "starts what has failed only",
      {
        spec: { ...two, restartPolicy: "OnFailure" },
        runtime: runtimePod([run("main", "exited"), run("side", "exited", failed)], [sandbox({ ready: false })]),
      },
      "kill pod, sandbox 1, start regular side",
    ],
    [
      "gets another when it has no address",
      { runtime: runtimePod([], [sandbox({ ips: [] })]) },
      "kill pod, sandbox 1, start regular main",
    ],
    [
      "needs no address in the node's network",
      { spec: { hostNetwork: true }, runtime: runtimePod([], [sandbox({ ips: [], hostNetwork: true })]) },
      "start regular main",
    ],
    [
      "gets another when two are ready",
      { runtime: runtimePod([], [sandbox({ id: "s1", attempt: 1 }), sandbox()]) },
      "kill pod, sandbox 2, start regular main",
    ],
  ])("%s", (_, given, actions) => {
    expect(actionsOf(given)).toBe(actions);
  });
});

describe("containers of a pod", () => {
  it.each<[string, Case, string]>([
    ["are left alone while they run", { runtime: runtimePod([run("main")]) }, ""],
    ["start again when they end", { runtime: runtimePod([run("main", "exited")]) }, "start regular main"],
    [
      "start again after a failure",
      { spec: { restartPolicy: "OnFailure" }, runtime: runtimePod([run("main", "exited", failed)]) },
      "start regular main",
    ],
    [
      "end the pod when they have succeeded",
      { spec: { restartPolicy: "OnFailure" }, runtime: runtimePod([run("main", "exited")]) },
      "kill pod",
    ],
    [
      "end the pod when none may start again",
      { spec: { restartPolicy: "Never" }, runtime: runtimePod([run("main", "exited", failed)]) },
      "kill pod",
    ],
    [
      "keep the pod while another runs",
      { spec: { ...two, restartPolicy: "Never" }, runtime: runtimePod([run("main", "exited"), run("side")]) },
      "",
    ],
    [
      "are started when they were only created",
      { runtime: runtimePod([run("main", "created")]) },
      "start regular main",
    ],
    [
      "are killed first in an unknown state",
      { runtime: runtimePod([run("main", "unknown")]) },
      "kill main-0, start regular main",
    ],
    [
      "start again when their definition changes",
      { runtime: runtimePod([run("main")]), hash: "other" },
      "kill main-0, start regular main",
    ],
    [
      "start again when they are not alive",
      { runtime: runtimePod([run("main")]), failed: { "main-0": "liveness" } },
      "kill main-0 (liveness), start regular main",
    ],
    [
      "are only ended when they may not start again",
      {
        spec: { ...two, restartPolicy: "Never" },
        runtime: runtimePod([run("main"), run("side")]),
        failed: { "main-0": "startup" },
      },
      "kill main-0 (startup)",
    ],
    [
      "are not started in a pod that is deleted",
      { spec: two, metadata: { deletionTimestamp: "x" }, runtime: runtimePod([run("main")]) },
      "",
    ],
    [
      "have restart policies of their own",
      {
        spec: { restartPolicy: "Never", containers: [{ name: "main", restartPolicy: "Always" }] },
        runtime: runtimePod([run("main", "exited")]),
      },
      "start regular main",
    ],
    [
      "have rules by exit code",
      {
        spec: {
          restartPolicy: "Never",
          containers: [
            {
              name: "main",
              restartPolicy: "Never",
              restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
            },
            { name: "side" },
          ],
        },
        runtime: runtimePod([run("main", "exited", { exitCode: 42 }), run("side")]),
      },
      "start regular main",
    ],
  ])("%s", (_, given, actions) => {
    expect(actionsOf(given)).toBe(actions);
  });
});

describe("init containers", () => {
  it.each<[string, Case, string]>([
    ["are waited for", { spec: init, runtime: runtimePod([run("one")]) }, ""],
    ["follow each other", { spec: init, runtime: runtimePod([run("one", "exited")]) }, "start init two"],
    [
      "give way to the others in the end",
      { spec: init, runtime: runtimePod([run("two", "exited"), run("one", "exited")]) },
      "start regular main",
    ],
    ["count as done when a later one has run", { spec: init, runtime: runtimePod([run("two")]) }, ""],
    [
      "run again after a failure",
      { spec: init, runtime: runtimePod([run("one", "exited", failed)]) },
      "start init one",
    ],
    [
      "end the pod when they may not run again",
      { spec: { ...init, restartPolicy: "Never" }, runtime: runtimePod([run("one", "exited", failed)]) },
      "kill pod",
    ],
    [
      "run again in a new sandbox",
      { spec: init, runtime: runtimePod([run("one", "exited", { sandboxId: "old" })]) },
      "start init one",
    ],
    ["are not run again beside the others", { spec: init, runtime: runtimePod([run("main")]) }, ""],
  ])("%s", (_, given, actions) => {
    expect(actionsOf(given)).toBe(actions);
  });
});

describe("sidecars", () => {
  it.each<[string, Case, string]>([
    ["start first", { spec: sidecar, runtime: runtimePod([]) }, "start init proxy"],
    [
      "are waited for until they have started",
      { spec: sidecar, runtime: runtimePod([run("proxy")]), started: false },
      "",
    ],
    ["let the next one start then", { spec: sidecar, runtime: runtimePod([run("proxy")]) }, "start init setup"],
    [
      "run beside the others",
      { spec: sidecar, runtime: runtimePod([run("main"), run("setup", "exited"), run("proxy")]) },
      "",
    ],
    [
      "start again when they end",
      { spec: sidecar, runtime: runtimePod([run("main"), run("setup", "exited"), run("proxy", "exited")]) },
      "start init proxy",
    ],
    [
      "start again whatever the pod's policy",
      {
        spec: { ...sidecar, restartPolicy: "Never" },
        runtime: runtimePod([run("main"), run("setup", "exited"), run("proxy", "exited", failed)]),
      },
      "start init proxy",
    ],
    [
      "start again when they are not alive",
      { spec: sidecar, runtime: runtimePod([run("main"), run("proxy")]), failed: { "proxy-0": "liveness" } },
      "kill proxy-0 (liveness), start init proxy",
    ],
    [
      "do not keep a pod whose work is done",
      {
        spec: { ...sidecar, restartPolicy: "Never" },
        runtime: runtimePod([run("main", "exited"), run("setup", "exited"), run("proxy")]),
      },
      "kill pod",
    ],
  ])("%s", (_, given, actions) => {
    expect(actionsOf(given)).toBe(actions);
  });
});

describe("ephemeral containers", () => {
  const spec = { ephemeralContainers: [{ name: "debug" }] };
  it.each<[string, Case, string]>([
    ["start in the running pod", { spec, runtime: runtimePod([run("main")]) }, "start ephemeral debug"],
    ["never start twice", { spec, runtime: runtimePod([run("debug", "exited"), run("main")]) }, ""],
    [
      "start while the pod initializes",
      { spec: { ...spec, ...init }, runtime: runtimePod([run("one")]) },
      "start ephemeral debug",
    ],
  ])("%s", (_, given, actions) => {
    expect(actionsOf(given)).toBe(actions);
  });
});
