// Requirements: document 1, "Terminology": instances live in a namespace and are deleted with it.

import { describe, expect, it } from "vitest";
import { DIALECTS } from "../../meta/names.ts";
import { controllersInProcess } from "../controllers.testing.ts";
import { Meanwhile } from "../meanwhile.testing.ts";
import { type EmptyingReport, namespaceConditions } from "./namespace-conditions.ts";
import { namespaceController } from "./namespace-controller.ts";

const NOW = "2030-01-01T00:00:00Z";

const NOTHING_FOUND: EmptyingReport = {
  undiscovered: [],
  failures: [],
  remaining: new Map(),
  finalizers: new Map(),
};

describe("the conditions of an ending namespace", () => {
  const cases: [what: string, report: Partial<EmptyingReport>, type: string, status: string, message: string][] = [
    ["all found", {}, "NamespaceDeletionDiscoveryFailure", "False", "All resources successfully discovered"],
    [
      "a group that does not answer",
      { undiscovered: ["x: down"] },
      "NamespaceDeletionDiscoveryFailure",
      "True",
      "Discovery failed for some groups, 1 failing: x: down",
    ],
    [
      "words that are read",
      {},
      "NamespaceDeletionGroupVersionParsingFailure",
      "False",
      "All legacy kube types successfully parsed",
    ],
    [
      "all deleted",
      {},
      "NamespaceDeletionContentFailure",
      "False",
      "All content successfully deleted, may be waiting on finalization",
    ],
    [
      "a refused delete",
      { failures: ["pods.: no"] },
      "NamespaceDeletionContentFailure",
      "True",
      "Failed to delete all resource types, 1 remaining: pods.: no",
    ],
    ["nothing left", {}, "NamespaceContentRemaining", "False", "All content successfully removed"],
    [
      "some left",
      {
        remaining: new Map([
          ["secrets.", 1],
          ["pods.", 2],
        ]),
      },
      "NamespaceContentRemaining",
      "True",
      "Some resources are remaining: pods. has 2 resource instances, secrets. has 1 resource instances",
    ],
    ["nothing held", {}, "NamespaceFinalizersRemaining", "False", "All content-preserving finalizers finished"],
    [
      "some held",
      { finalizers: new Map([["a/b", 2]]) },
      "NamespaceFinalizersRemaining",
      "True",
      "Some content in the namespace has finalizers remaining: a/b in 2 resource instances",
    ],
  ];
  it.each(cases)("%s", (_what, report, type, status, message) => {
    const conditions = namespaceConditions([], { ...NOTHING_FOUND, ...report }, NOW);
    expect(conditions?.find((each) => each.type === type)).toMatchObject({ status, message, lastTransitionTime: NOW });
  });

  it("stay as they are when nothing is new, and keep the time of what stays true", () => {
    const held = (count: number) => ({ ...NOTHING_FOUND, remaining: new Map([["pods.", count]]) });
    const first = namespaceConditions([], held(2), NOW)!;
    expect(namespaceConditions(first, held(2), "2031-01-01T00:00:00Z")).toBeUndefined();
    const later = namespaceConditions(first, held(1), "2031-01-01T00:00:00Z")!;
    expect(later.map(({ lastTransitionTime }) => lastTransitionTime)).toEqual(first.map(() => NOW));
    expect(namespaceConditions(later, NOTHING_FOUND, "2031-01-01T00:00:00Z")?.[3]?.lastTransitionTime).toBe(
      "2031-01-01T00:00:00Z",
    );
  });
});

describe.each(DIALECTS)("a namespace of the dialect %s", (dialect) => {
  it("takes everything in it along, of every kind, custom ones too", async () => {
    const { client, eventually, close } = await controllersInProcess({ definitions: [namespaceController], dialect });
    await client.apiextensions.v1.customResourceDefinitions().create({
      metadata: { name: "widgets.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "widgets", kind: "Widget" },
        versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
      },
    });
    const namespaces = client.core.v1.namespaces();
    await namespaces.create({ metadata: { name: "shop" } });
    const widgets = client.named({ group: "example.com", version: "v1", resource: "widgets", kind: "Widget" }, "shop");
    await eventually(() => widgets.create({ metadata: { name: "w" } }));
    for (let i = 0; i < 20; i += 1) await client.core.v1.configMaps("shop").create({ metadata: { name: `c${i}` } });
    await client.apps.v1.deployments("shop").create({
      metadata: { name: "web" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
      },
    });
    await namespaces.delete("shop");
    await eventually(async () => expect(await namespaces.find("shop")).toBeUndefined());
    expect((await widgets.list()).items).toEqual([]);
    expect((await client.core.v1.configMaps("shop").list()).items).toEqual([]);
    await close();
  });

  it("waits for its pods before anything else goes, says what keeps it, and ends when that is gone", async () => {
    const { client, clock, eventually, restart, close } = await controllersInProcess({
      definitions: [namespaceController],
      dialect,
      serverFlags: ["--disable-admission-plugins=ServiceAccount"],
    });
    const namespaces = client.core.v1.namespaces();
    const pods = client.core.v1.pods("shop");
    const maps = client.core.v1.configMaps("shop");
    await namespaces.create({ metadata: { name: "shop" } });
    await maps.create({ metadata: { name: "needed" } });
    await pods.create({
      metadata: { name: "p", finalizers: ["example.com/hold"] },
      spec: { nodeName: "n", terminationGracePeriodSeconds: 30, containers: [{ name: "c", image: "i" }] },
    });
    await namespaces.delete("shop");
    await eventually(async () => {
      const { status } = await namespaces.get("shop");
      const says = (type: string) => status?.conditions?.find((each) => each.type === type)?.message;
      expect(says("NamespaceContentRemaining")).toBe("Some resources are remaining: pods. has 1 resource instances");
      expect(says("NamespaceFinalizersRemaining")).toBe(
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances",
      );
    });
    const { deletionGracePeriodSeconds } = (await pods.get("p")).metadata;
    expect(deletionGracePeriodSeconds).toBe(30);
    await maps.get("needed");
    await restart();
    await pods.patch("p", { merge: { metadata: { finalizers: null } } });
    await pods.delete("p", { gracePeriodSeconds: 0 });
    await clock.advance(20_000);
    await eventually(async () => expect(await namespaces.find("shop")).toBeUndefined());
    await close();
  });
});

it("a new namespace of the same name is not emptied in place of the old one, nor let go", async () => {
  const meanwhile = new Meanwhile();
  const { client, manager, eventually, close } = await controllersInProcess({
    definitions: [namespaceController],
    between: meanwhile.between,
  });
  const namespaces = client.core.v1.namespaces();
  const maps = client.core.v1.configMaps("shop");
  const { spec } = await namespaces.create({ metadata: { name: "shop" } });
  const replaced = meanwhile.before(
    () => true,
    async () => {
      const ending = await namespaces.get("shop");
      await namespaces.subresource("finalize").update({ ...ending, spec: { finalizers: [] } });
      await namespaces.create({ metadata: { name: "shop" } });
      await maps.create({ metadata: { name: "kept" } });
    },
  );
  await namespaces.delete("shop");
  await replaced;
  await eventually(() => expect(manager.busy).toBe(false));
  expect(await maps.find("kept")).toBeDefined();
  expect((await namespaces.get("shop")).spec).toEqual(spec);
  await close();
});
