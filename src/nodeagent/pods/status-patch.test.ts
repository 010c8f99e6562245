import { expect, it } from "vitest";
import type { PodStatus } from "./pod-status.ts";
import { statusPatch } from "./status-patch.ts";

const condition = (type: string, status: string) => ({ type, status, lastProbeTime: null, lastTransitionTime: null });

it.each<[string, PodStatus, PodStatus, object | undefined]>([
  ["nothing", { phase: "Running" }, { phase: "Running" }, undefined],
  ["a word", { phase: "Pending" }, { phase: "Running" }, { phase: "Running" }],
  ["what is no more", { phase: "Failed", reason: "x" }, { phase: "Failed" }, { reason: null }],
  [
    "conditions that changed",
    { conditions: [condition("Ready", "True"), condition("Initialized", "True")] },
    { conditions: [condition("Ready", "True"), condition("Initialized", "False")] },
    { conditions: [condition("Initialized", "False")] },
  ],
  [
    "that a condition of the agent's own is no more",
    { conditions: [condition("PodResizePending", "True")] },
    { conditions: [] },
    { conditions: [{ $patch: "delete", type: "PodResizePending" }] },
  ],
  [
    "what a condition says no more",
    { conditions: [{ ...condition("Ready", "False"), reason: "Why" }] },
    { conditions: [condition("Ready", "True")] },
    { conditions: [{ ...condition("Ready", "True"), reason: null }] },
  ],
  [
    "nothing of conditions of others",
    { conditions: [condition("Ready", "True"), condition("x/y", "True")] },
    { conditions: [condition("Ready", "True")] },
    undefined,
  ],
  [
    "nothing of a condition that somebody else has written since it was read",
    { conditions: [condition("Ready", "False"), condition("x/gate", "False")] },
    { conditions: [condition("Ready", "True"), condition("x/gate", "True")] },
    { conditions: [condition("Ready", "True")] },
  ],
  [
    "that a pod is disrupted",
    { conditions: [condition("Ready", "True")] },
    { conditions: [condition("Ready", "True"), condition("DisruptionTarget", "True")] },
    { conditions: [condition("DisruptionTarget", "True")] },
  ],
  [
    "addresses as a whole",
    { podIPs: [{ ip: "1" }] },
    { podIPs: [{ ip: "2" }] },
    { podIPs: [{ $patch: "replace" }, { ip: "2" }] },
  ],
  ["nothing that others tell", { nominatedNodeName: "n" }, {}, undefined],
])("a patch holds %s", (_, before, after, patch) => {
  expect(statusPatch(before, after)).toEqual(patch);
});
