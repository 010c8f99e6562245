// What a runtime has of a pod, in few words, for tables of tests.

import type { Pod } from "../../kinds/core/pod.ts";
import type { RuntimeContainer, RuntimePod, RuntimeSandbox } from "./runtime-pod.ts";

export const START_MS = Date.parse("2030-01-01T00:00:00Z");

export function podWith(spec: object, metadata: object = {}, status: object = {}): Pod {
  const whole = { restartPolicy: "Always", containers: [{ name: "main", image: "example.com/app:1" }], ...spec };
  // As the API gives them: every container has resources.
  for (const list of Object.values(whole).filter(Array.isArray))
    for (const item of list) if ("name" in item) item.resources ??= {};
  const pod = { metadata: { name: "p", namespace: "n", uid: "u", generation: 1, ...metadata }, spec: whole, status };
  return pod as unknown as Pod;
}

export function sandbox(more: Partial<RuntimeSandbox> = {}): RuntimeSandbox {
  return { id: "s0", attempt: 0, ready: true, createdAtMs: START_MS, ips: ["10.0.0.1"], hostNetwork: false, ...more };
}

/** `run("main", "exited", { exitCode: 1 })` */
export function run(
  name: string,
  state: RuntimeContainer["state"] = "running",
  more: Partial<RuntimeContainer> = {},
): RuntimeContainer {
  return {
    id: `${name}-${more.restartCount ?? 0}`,
    name,
    sandboxId: "s0",
    state,
    restartCount: 0,
    hash: "h",
    createdAtMs: START_MS,
    startedAtMs: state === "created" ? 0 : START_MS,
    finishedAtMs: state === "exited" ? START_MS + 1_000 : 0,
    exitCode: 0,
    reason: state === "exited" ? (more.exitCode ? "Error" : "Completed") : "",
    message: "",
    image: "example.com/app:1",
    imageId: "sha256:1",
    imageSpec: "sha256:1",
    annotations: {},
    mounts: [],
    ...more,
  };
}

export function runtimePod(containers: RuntimeContainer[] = [], sandboxes: RuntimeSandbox[] = [sandbox()]): RuntimePod {
  return { uid: "u", name: "p", namespace: "n", sandboxes, containers };
}
