import { describe, expect, it } from "vitest";
import type { TopologyPolicy } from "../config/topology-policies.ts";
import { mergeHints, type NumaHint } from "./merge-hints.ts";
import { everyMask, maskOf, nodesOf } from "./numa-mask.ts";

/** "0+1 2*" is two hints: nodes 0 and 1, and node 2 alone, which is preferred. "any*" is every node. */
function hints(text: string): NumaHint[] {
  return text
    .split(" ")
    .filter((word) => word !== "")
    .map((word) => {
      const nodes = word.replace("*", "");
      const mask = nodes === "any" ? undefined : maskOf(nodes.split("+").map(Number));
      return { mask, isPreferred: word.endsWith("*") };
    });
}

interface Row {
  readonly nodes?: number;
  readonly resources: readonly (string | undefined)[];
  readonly prefersClosest?: boolean;
}

/** Nodes 0 and 3, and 1 and 2, are near to each other. */
const distance = (from: number, to: number) => (from === to ? 10 : from + to === 3 ? 12 : 20);

function merged(policy: TopologyPolicy, { nodes = 2, resources, prefersClosest = false }: Row): string {
  const providers = resources.map((text, index) => new Map([[`r${index}`, text === undefined ? text : hints(text)]]));
  const numa = { nodes: Array.from({ length: nodes }, (_, node) => node), distance };
  const { hint, isAdmitted } = mergeHints(providers, { policy, numa, prefersClosest });
  const where = hint.mask === undefined ? "any" : nodesOf(hint.mask).join("+");
  return `${where}${hint.isPreferred ? "*" : ""} ${isAdmitted ? "taken" : "refused"}`;
}

describe("a pod is put near", () => {
  it.each<[string, TopologyPolicy, Row, string]>([
    ["nothing where nobody asks", "none", { resources: ["0*"] }, "any* taken"],
    ["everything without resources", "best-effort", { resources: [] }, "0+1* taken"],
    ["everything without opinions", "best-effort", { resources: [undefined, undefined] }, "0+1* taken"],
    ["the node that all prefer", "best-effort", { resources: ["0* 1* 0+1", "1* 0+1"] }, "1* taken"],
    ["the lowest of several", "restricted", { resources: ["0* 1* 0+1", "0* 1* 0+1"] }, "0* taken"],
    ["what is shared, when nothing is preferred", "best-effort", { resources: ["0*", "0+1*"] }, "0 taken"],
    ["nothing in common: all, not preferred", "best-effort", { resources: ["0*", "1*"] }, "0+1 taken"],
    ["nothing in common is refused", "restricted", { resources: ["0*", "1*"] }, "0+1 refused"],
    ["what cannot be had makes all not preferred", "best-effort", { resources: ["0*", ""] }, "0 taken"],
    ["what cannot be had is refused", "restricted", { resources: ["0*", ""] }, "0 refused"],
    ["two nodes, when both must have two", "restricted", { resources: ["0+1*", "0+1*"] }, "0+1* taken"],
    ["two nodes are not one", "single-numa-node", { resources: ["0+1*", "0+1*"] }, "any refused"],
    ["one node alone", "single-numa-node", { resources: ["0* 1* 0+1", "1* 0+1"] }, "1* taken"],
    ["any, when all nodes of one machine are one", "single-numa-node", { nodes: 1, resources: ["0*"] }, "any* taken"],
    ["without opinions it is taken", "single-numa-node", { resources: [undefined] }, "any* taken"],
    [
      "as many nodes as the largest needs, before fewer",
      "best-effort",
      { nodes: 4, resources: ["0+1 0+1+2", "0+1+2 0+1+2+3 0"] },
      "0+1 taken",
    ],
    [
      "fewer nodes than the largest needs, before more",
      "best-effort",
      { nodes: 4, resources: ["0+1+2 1+2+3", "0 0+1+2+3 0+1"] },
      "0+1+2 taken",
    ],
    ["the lower ones of two", "best-effort", { nodes: 4, resources: ["0+1* 0+3* 1+2*"] }, "0+1* taken"],
    [
      "the closest of two",
      "best-effort",
      { nodes: 4, resources: ["0+1* 0+3* 1+2*"], prefersClosest: true },
      "1+2* taken",
    ],
  ])("%s", (_, policy, row, expected) => {
    expect(merged(policy, row)).toBe(expected);
  });

  it("with eight nodes and many resources, soon", () => {
    const all = everyMask([0, 1, 2, 3, 4, 5, 6, 7]).map((mask) => ({ mask, isPreferred: mask === 2 }));
    const providers = Array.from({ length: 12 }, (_, index) => new Map([[`r${index}`, all]]));
    const numa = { nodes: [0, 1, 2, 3, 4, 5, 6, 7], distance };
    const { hint } = mergeHints(providers, { policy: "restricted", numa, prefersClosest: false });
    expect(hint).toEqual({ mask: 2, isPreferred: true });
  });
});
