import { describe, expect, it } from "vitest";
import type { DiscoveredResource, Discovery } from "../../client/discovery.ts";
import { namesFor } from "../../meta/names.ts";
import { AbsentOwners } from "./absent-owners.ts";
import { type GraphKind, observe } from "./graph-node.ts";
import { ServedKinds } from "./served-kinds.ts";

const ALL = ["get", "list", "watch", "delete"];
const served = (group: string, version: string, resource: string, kind: string, verbs = ALL): DiscoveredResource => ({
  group,
  version,
  resource,
  kind,
  verbs,
  namespaced: true,
  singular: "",
  shortNames: [],
  categories: [],
});
const discovery: Discovery = {
  dialect: "kubernetes",
  resources: [
    served("", "v1", "pods", "Pod"),
    served("", "v1", "events", "Event"),
    served("", "v1", "bindings", "Binding", ["create"]),
    served("example.com", "v2", "events", "Event"),
    served("example.com", "v2", "widgets", "Widget", ["get", "list"]),
    served("example.com", "v1", "widgets", "Widget"),
    served("events.k8s.io", "v1", "events", "Event"),
  ],
  unknown: [{ group: "far.example.com", version: "v1" }],
};
const kinds = new ServedKinds(discovery, namesFor("kubernetes"));

describe("kinds to collect", () => {
  it("are those that can be followed and deleted, once each, and no events of the system", () => {
    expect(kinds.collectable().map(({ group, version, resource }) => `${group}/${version}/${resource}`)).toEqual([
      "/v1/pods",
      "example.com/v2/events",
      "example.com/v1/widgets",
    ]);
  });

  it.each([
    ["v1", "Pod", "pods v1"],
    ["v9", "Pod", "pods v1"],
    ["example.com/v1", "Widget", "widgets v1"],
    ["example.com/v3", "Widget", "widgets v2"],
    ["v1", "Binding", undefined],
    ["other.com/v1", "Widget", undefined],
    ["a/b/c", "Pod", undefined],
    ["", "Pod", undefined],
  ])("are meant by references: %s %s", (apiVersion, kind, found) => {
    const resolved = kinds.resolve(apiVersion, kind);
    expect(resolved && `${resolved.resource} ${resolved.version}`).toBe(found);
  });

  it("may only be out of reach", () => {
    expect(["far.example.com", "example.com"].map((group) => kinds.isUnknown(group))).toEqual([true, false]);
  });
});

describe("absent owners", () => {
  const widgets: GraphKind = { group: "x.io", version: "v1", resource: "widgets", kind: "Widget", namespaced: true };
  const gone = observe(widgets, { uid: "u", name: "w", namespace: "n" })!;
  const link = { apiVersion: "x.io/v1", kind: "Widget", name: "w", uid: "u", blocks: false };

  it("are remembered for those who mean them, and for nobody else", () => {
    const absent = new AbsentOwners();
    absent.addObject(gone);
    expect(absent.has(link, "n")).toBe(true);
    expect(absent.has({ ...link, apiVersion: "x.io/v2" }, "n")).toBe(true);
    expect(absent.has(link, "other")).toBe(false);
    for (const wrong of [{ kind: "Gadget" }, { name: "v" }, { uid: "v" }, { apiVersion: "y.io/v1" }])
      expect(absent.has({ ...link, ...wrong }, "n")).toBe(false);
    absent.deleteObject(gone);
    expect(absent.has(link, "n")).toBe(false);
  });

  it("are forgotten before they take too much room", () => {
    const absent = new AbsentOwners();
    absent.addObject(gone);
    for (let i = 0; i < 100; i += 1) absent.add({ ...link, name: `${i}`.padStart(100_000, "x") }, "n");
    expect(absent.has(link, "n")).toBe(false);
  });
});
