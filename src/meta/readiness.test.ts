import { expect, it } from "vitest";
import { readinessOf } from "./readiness.ts";

const conditions = (...list: object[]) => ({ status: { conditions: list } });
const set = (spec: object, status: object, generation = 1) => ({ metadata: { generation }, spec, status });

it.each<[string, object | undefined, { ready: string | undefined; reason: string }]>([
  ["what has no status", { metadata: {} }, { ready: undefined, reason: "" }],
  ["nothing", undefined, { ready: undefined, reason: "" }],
  ["a pod that is ready", conditions({ type: "Ready", status: "True", reason: "x" }), { ready: "True", reason: "" }],
  [
    "a pod that is not",
    conditions({ type: "Initialized", status: "True" }, { type: "Ready", status: "False", reason: "Waiting" }),
    { ready: "False", reason: "Waiting" },
  ],
  ["a Deployment", conditions({ type: "Available", status: "True" }), { ready: "True", reason: "" }],
  ["a Job that runs", { spec: {}, status: { active: 1 } }, { ready: undefined, reason: "" }],
  [
    "a set of pods, all ready",
    set({ replicas: 2 }, { replicas: 2, readyReplicas: 2 }, 0),
    { ready: "True", reason: "" },
  ],
  ["a set of one", set({}, { replicas: 0 }, 0), { ready: "False", reason: "0 of 1" }],
  ["a set of none", set({ replicas: 0 }, { replicas: 0 }, 0), { ready: "True", reason: "" }],
  [
    "a set that has changed since",
    set({ replicas: 2 }, { replicas: 2, readyReplicas: 2, observedGeneration: 1 }, 2),
    { ready: "False", reason: "NotObserved" },
  ],
  [
    "pods on every node",
    set({}, { desiredNumberScheduled: 3, numberReady: 1, observedGeneration: 1 }),
    { ready: "False", reason: "1 of 3" },
  ],
])("the readiness of %s", (_, object, readiness) => {
  expect(readinessOf(object)).toEqual(readiness);
});
