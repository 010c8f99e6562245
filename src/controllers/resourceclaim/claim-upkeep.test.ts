// Reservations and what follows from them, as upstream's tests of syncClaim have it.

import { describe, expect, it } from "vitest";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { claimUpkeep, podsNamedBy } from "./claim-upkeep.ts";
import { claimingPod, names, reservedFor, type TestClaim, testClaim } from "./resource-claim.testing.ts";

const runs = claimingPod({ name: "runs", nodeName: "n" });
const failed = claimingPod({ name: "failed", phase: "Failed" });
const replaced = { ...reservedFor(runs), uid: "earlier" };
const alien = { apiGroup: "example.com", resource: "widgets", name: "w", uid: "w" };
const pods: readonly Stored<Pod>[] = [runs, failed];
const upkeep = (claim: TestClaim) => {
  const { status, releases, deletes } = claimUpkeep(
    testClaim(claim),
    (name) => pods.find((pod) => pod.metadata.name === name),
    names,
  );
  return {
    reserved: status?.reservedFor?.map(({ uid }) => uid),
    changed: status !== undefined,
    allocated: status?.allocation !== undefined,
    releases,
    deletes,
  };
};
const NOTHING = { reserved: undefined, changed: false, allocated: false, releases: false, deletes: false };

describe("a claim", () => {
  const cases: [what: string, claim: TestClaim, is: Partial<ReturnType<typeof upkeep>>][] = [
    ["that nobody uses stays", {}, {}],
    ["that is used stays", { reservedFor: [reservedFor(runs)], allocated: true, held: true }, {}],
    [
      "is no longer reserved for pods that have ended",
      { reservedFor: [reservedFor(runs), reservedFor(failed)], allocated: true, held: true },
      { reserved: ["uid-runs"], changed: true, allocated: true },
    ],
    [
      "nor for earlier pods of the same name",
      { reservedFor: [replaced], allocated: true },
      { changed: true, allocated: true },
    ],
    [
      "is freed when the last is gone, and let go",
      { reservedFor: [reservedFor(failed)], allocated: true, held: true },
      { changed: true, releases: true },
    ],
    ["of consumers that are no pods stays reserved", { reservedFor: [alien], allocated: true, held: true }, {}],
    ["that ends is freed and let go", { allocated: true, held: true, ending: true }, { changed: true, releases: true }],
    ["that ends without anything allocated is let go", { held: true, ending: true }, { releases: true }],
    [
      "that ends while it is used waits",
      { reservedFor: [reservedFor(runs)], allocated: true, held: true, ending: true },
      {},
    ],
    ["made for a pod that has ended goes", { owner: failed }, { deletes: true }],
    ["made for a pod that runs stays", { owner: runs }, {}],
    [
      "made for an earlier pod of the same name goes",
      { owner: claimingPod({ name: "runs", uid: "earlier" }) },
      { deletes: true },
    ],
    ["made for a pod that is gone is left to others", { owner: claimingPod({ name: "gone" }) }, {}],
    ["made for one pod and used by another stays", { owner: failed, reservedFor: [reservedFor(runs)] }, {}],
    ["that goes already is not deleted again", { owner: failed, ending: true }, {}],
  ];
  it.each(cases)("%s", (_what, claim, is) => {
    expect(upkeep(claim)).toEqual({ ...NOTHING, ...is });
  });

  it("names the pods that have to be looked at", () => {
    const claim = testClaim({ owner: failed, reservedFor: [reservedFor(runs), replaced, alien] });
    expect(podsNamedBy(claim)).toEqual(
      new Map([
        ["runs", new Set(["uid-runs", "earlier"])],
        ["failed", new Set(["uid-failed"])],
      ]),
    );
  });
});
