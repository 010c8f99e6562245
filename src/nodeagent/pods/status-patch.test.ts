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
    { conditions: [condition("A", "True"), condition("B", "True")] },
    { conditions: [condition("A", "True"), condition("B", "False")] },
    { conditions: [condition("B", "False")] },
  ],
  [
    "that a condition of the agent's own is no more",
    { conditions: [condition("PodResizePending", "True")] },
    { conditions: [] },
    { conditions: [{ $patch: "delete", type: "PodResizePending" }] },
  ],
  [
    "what a condition says no more",
    { conditions: [{ ...condition("A", "False"), reason: "Why" }] },
    { conditions: [condition("A", "True")] },
    { conditions: [{ ...condition("A", "True"), reason: null }] },
  ],
  [
    "nothing of conditions of others",
    { conditions: [condition("A", "True"), condition("x/y", "True")] },
    { conditions: [condition("A", "True")] },
    undefined,
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
