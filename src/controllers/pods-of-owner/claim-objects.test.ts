import { describe, expect, it } from "vitest";
import { ApiError } from "../../client/api-error.ts";
import { ownerReferenceTo } from "../../client/controller.ts";
import { selectorFromObject } from "../../meta/label-selector.ts";
import type { StatusReason } from "../../meta/status-error.ts";
import { type ClaimOptions, claimObjects, judgeClaim, type Owned } from "./claim-objects.ts";
import { testPod } from "./pods.testing.ts";

const owner = {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: { name: "web", namespace: "default", uid: "owner", resourceVersion: "1", creationTimestamp: "" },
};
const ending = { ...owner, metadata: { ...owner.metadata, deletionTimestamp: "2030-01-01T00:00:00Z" } };
const another = { ...owner, metadata: { ...owner.metadata, uid: "another" } };
const selector = selectorFromObject({ matchLabels: { app: "web" } });
const fits = { app: "web" };
const own = ownerReferenceTo(owner);

describe("a claim", () => {
  const cases: [what: string, pod: Parameters<typeof testPod>[0], of: typeof owner, verdict: string][] = [
    ["keeps what it controls", { labels: fits, owner: own }, owner, "keep"],
    ["lets go of what it does not select", { labels: { app: "x" }, owner: own }, owner, "release"],
    ["adopts what nobody controls", { labels: fits }, owner, "adopt"],
    [
      "adopts what somebody owns but does not control",
      { labels: fits, owner: { ...own, uid: "x", controller: false } },
      owner,
      "adopt",
    ],
    ["leaves what another controls", { labels: fits, owner: ownerReferenceTo(another) }, owner, "leave"],
    ["leaves what it does not select", { labels: { app: "x" } }, owner, "leave"],
    ["leaves what has no labels", {}, owner, "leave"],
    ["leaves orphans that end", { labels: fits, ending: true }, owner, "leave"],
    ["keeps what ends", { labels: fits, owner: own, ending: true }, owner, "keep"],
    ["of an ending owner keeps", { labels: fits, owner: own }, ending, "keep"],
    ["of an ending owner does not let go", { labels: { app: "x" }, owner: own }, ending, "leave"],
    ["of an ending owner does not adopt", { labels: fits }, ending, "leave"],
  ];
  it.each(cases)("%s", (_what, parts, of, verdict) => {
    expect(judgeClaim(testPod(parts), of, selector)).toBe(verdict);
  });
});

describe("claiming", () => {
  const refusal = (code: number, reason: StatusReason) =>
    new ApiError({
      status: { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message: "no", reason, code },
      request: { method: "PATCH", path: "/" },
    });
  const claim = async (options: Partial<ClaimOptions<Owned>>) => {
    const patches: [string, unknown][] = [];
    let asked = 0;
    const claimed = claimObjects<Owned>({
      owner,
      selector,
      candidates: [
        testPod({ name: "mine", labels: fits, owner: own }),
        testPod({ name: "orphan", labels: fits }),
        testPod({ name: "second", labels: fits }),
        testPod({ name: "strays", labels: { app: "x" }, owner: own }),
      ],
      findOwner: async () => {
        asked += 1;
        return owner;
      },
      patch: async (object, metadata) => void patches.push([object.metadata.name, metadata]),
      ...options,
    });
    const names = await claimed.then((objects) => objects.map(({ metadata }) => metadata.name));
    return { names, patches, asked };
  };

  it("asks once whether the owner still lives, and names the object that it means", async () => {
    const { names, patches, asked } = await claim({ finalizers: ["a/b"] });
    expect(names).toEqual(["mine", "orphan", "second"]);
    expect(asked).toBe(1);
    expect(patches[0]).toEqual(["orphan", { uid: "uid-orphan", ownerReferences: [own], finalizers: ["a/b"] }]);
    expect(patches[2]).toEqual([
      "strays",
      { uid: "uid-strays", ownerReferences: [{ $patch: "delete", uid: "owner" }] },
    ]);
  });

  it.each([
    ["is gone", undefined],
    ["is another one", another],
    ["ends", ending],
  ])("adopts nothing when the owner %s", async (_what, live) => {
    const patched: string[] = [];
    const result = claim({
      findOwner: async () => live,
      patch: async ({ metadata }) => void patched.push(metadata.name),
    });
    await expect(result).rejects.toThrow(/nothing is adopted/);
    expect(patched).toEqual(["strays"]);
  });

  it("goes on without objects that are gone, and fails with what else is refused", async () => {
    const { names } = await claim({
      patch: async () => {
        throw refusal(404, "NotFound");
      },
    });
    expect(names).toEqual(["mine"]);
    const refused = claim({
      patch: async () => {
        throw refusal(403, "Forbidden");
      },
    });
    await expect(refused).rejects.toThrow(/no/);
  });
});
