// Who owns a claim: every retention policy, as upstream's table has it.

import { describe, expect, it } from "vitest";
import type { OwnerReference } from "../../meta/object.ts";
import { claimOwnership, hasStaleOwner } from "./claim-ownership.ts";

const set = { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "set" };
const pod = { apiVersion: "v1", kind: "Pod", name: "web-0", uid: "pod" };
const controls = (owner: typeof set): OwnerReference => ({ ...owner, controller: true, blockOwnerDeletion: true });
const stranger: OwnerReference = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x" };

describe("the owner of a claim", () => {
  type Policy = "Retain" | "Delete";
  const owners: [whenDeleted: Policy, whenScaled: Policy, scaledAway: boolean, owner: typeof set | undefined][] = [
    ["Retain", "Retain", false, undefined],
    ["Retain", "Retain", true, undefined],
    ["Delete", "Retain", false, set],
    ["Delete", "Retain", true, set],
    ["Retain", "Delete", false, undefined],
    ["Retain", "Delete", true, pod],
    ["Delete", "Delete", false, set],
    ["Delete", "Delete", true, pod],
  ];
  it.each(owners)("deleted: %s, scaled: %s, scaled away: %s", (whenDeleted, whenScaled, isScaledAway, owner) => {
    const question = { policy: { whenDeleted, whenScaled }, set, pod, isScaledAway };
    const right = owner === undefined ? [] : [controls(owner)];
    expect(claimOwnership({ ...question, references: right })).toEqual({ type: "right" });
    for (const wrong of [[], [controls(set)], [controls(pod)], [{ ...set }], [controls(set), controls(pod)]]) {
      if (JSON.stringify(wrong) === JSON.stringify(right)) continue;
      expect(claimOwnership({ ...question, references: [stranger, ...wrong] })).toEqual({
        type: wrong.length === 0 && owner === undefined ? "right" : "wrong",
        ...(wrong.length === 0 && owner === undefined ? {} : { references: [stranger, ...right] }),
      });
    }
  });

  const policy = { whenDeleted: "Delete", whenScaled: "Retain" };
  it("is left to the garbage collector when it was an earlier set or pod of the same name", () => {
    for (const stale of [
      { ...controls(set), uid: "old" },
      { ...controls(pod), uid: "old" },
    ])
      expect(claimOwnership({ references: [stale], policy, set, pod, isScaledAway: false })).toEqual({ type: "right" });
  });

  it("is nobody of ours when somebody else controls the claim", () => {
    const other = { ...stranger, controller: true };
    const ask = (references: OwnerReference[]) => claimOwnership({ references, policy, set, pod, isScaledAway: false });
    expect(ask([other])).toEqual({ type: "conflict", references: undefined });
    expect(ask([other, { ...set }])).toEqual({ type: "conflict", references: [other] });
    expect(claimOwnership({ references: [other], policy: undefined, set, pod, isScaledAway: false })).toEqual({
      type: "right",
    });
  });

  it("is stale when it is another pod of the same name", () => {
    const { uid: _uid, ...next } = pod;
    expect(hasStaleOwner([controls(pod)], next)).toBe(true);
    expect(hasStaleOwner([controls(pod)], pod)).toBe(false);
    expect(hasStaleOwner([controls(set)], next)).toBe(false);
  });
});
