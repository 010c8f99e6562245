// What a server serves, and where its objects are. Requirements: document 1, "API groups", "Versions".

import { afterEach, describe, expect, it, vi } from "vitest";
import { asSlowWork } from "../base/steps.testing.ts";
import type { ApiObject } from "../meta/object.ts";
import { builtIn, testCatalog } from "./catalog.testing.ts";
import { type Catalog, type CustomVersions, fieldPathsOf } from "./catalog.ts";
import type { ServedResource, WriteCollaborator } from "./served-resource.ts";

let catalog: Catalog;
afterEach(() => catalog.close());

const custom = (group: string, version: string, resource: string) =>
  ({ group, kind: { version, resource }, custom: true }) as unknown as ServedResource;

function definition(...resources: readonly ServedResource[]): CustomVersions {
  const { group, kind } = resources[0]!;
  const versions = new Map(resources.map((resource) => [resource.kind.version, resource]));
  return {
    group,
    resource: kind.resource,
    names: () => versions.keys(),
    has: (version) => versions.has(version),
    at: (version) => versions.get(version),
  };
}

describe("what is served", () => {
  it.each([
    ["", "v1", "configmaps", "v1"],
    ["apps", "v1", "deployments", "apps/v1"],
    ["networking.k8s.io", "v1", "ingresses", "networking.k8s.io/v1"],
    ["apps", "v2", "deployments", undefined],
    ["networking", "v1", "ingresses", undefined],
    ["", "v1", "", undefined],
  ])("is found by the whole name of its group: %j %s %s", (group, version, resource, apiVersion) => {
    catalog = testCatalog();
    expect(catalog.find(group, version, resource)?.apiVersion).toBe(apiVersion);
  });

  it("leaves out what the flags take away, with which the server itself still works", () => {
    catalog = testCatalog(({ kind }) => kind !== "IngressClass");
    const name = ["networking.k8s.io", "v1", "ingressclasses"] as const;
    expect(catalog.find(...name)).toBeUndefined();
    expect(catalog.all().some(({ kind }) => kind.kind === "IngressClass")).toBe(false);
    const own = catalog.own(...name);
    expect(own?.store?.prefix).toBe("/registry/ingressclasses/");
    expect(catalog.own(...name)).toBe(own);
    expect(catalog.own("networking.k8s.io", "v1", "unknown")).toBeUndefined();
    expect(catalog.own("", "v1", "pods")).toBe(catalog.find("", "v1", "pods"));
  });

  it("knows its groups and versions", () => {
    catalog = testCatalog(({ group }) => group !== "batch");
    expect([catalog.has("apps", "v1"), catalog.has("apps", "v2"), catalog.has("batch", "v1")]).toEqual([
      true,
      false,
      false,
    ]);
    expect([catalog.hasBuiltIn("apps"), catalog.hasBuiltIn("batch"), catalog.hasBuiltIn("example.com")]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it("takes in and lets go of custom resources, tells who listens, and never hides a built-in one", () => {
    catalog = testCatalog();
    const told = vi.fn();
    const stop = catalog.onChange(told);
    const widgets = custom("example.com", "v1", "widgets");
    const ofWidgets = definition(widgets);
    catalog.replaceCustom(undefined, ofWidgets);
    expect(catalog.find("example.com", "v1", "widgets")).toBe(widgets);
    expect(catalog.has("example.com", "v1")).toBe(true);
    expect(catalog.all().at(-1)).toBe(widgets);
    const hidden = definition(custom("apps", "v1", "deployments"));
    catalog.replaceCustom(undefined, hidden);
    expect(catalog.find("apps", "v1", "deployments")?.custom).toBeUndefined();
    catalog.replaceCustom(hidden, undefined);
    catalog.replaceCustom(ofWidgets, undefined);
    catalog.replaceCustom(ofWidgets, undefined);
    expect(catalog.find("apps", "v1", "deployments")).toBeDefined();
    expect(catalog.find("example.com", "v1", "widgets")).toBeUndefined();
    expect(catalog.has("example.com", "v1")).toBe(false);
    expect(told).toHaveBeenCalledTimes(4);
    stop();
    catalog.announce();
    expect(told).toHaveBeenCalledTimes(4);
  });

  it("tells once of all versions of a definition, and keeps the place of those that stay", () => {
    catalog = testCatalog();
    const told = vi.fn();
    catalog.onChange(told);
    const widgetsAt = (version: string) => custom("example.com", version, "widgets");
    const [v1, v2, v3] = [widgetsAt("v1"), widgetsAt("v2"), widgetsAt("v3")];
    const first = definition(v1, v2);
    catalog.replaceCustom(undefined, first);
    const other = custom("example.com", "v1", "others");
    catalog.replaceCustom(undefined, definition(other));
    const again = custom("example.com", "v2", "widgets");
    catalog.replaceCustom(first, definition(again, v3));
    expect(catalog.all().filter(({ custom }) => custom)).toEqual([again, v3, other]);
    expect(catalog.sharing(again)).toEqual([again, v3]);
    expect([...catalog.eachIn("example.com", "v2")]).toEqual([again]);
    expect([...catalog.groupVersions()].filter(([group]) => group === "example.com")).toEqual([
      ["example.com", "v2"],
      ["example.com", "v3"],
      ["example.com", "v1"],
    ]);
    expect(catalog.find("example.com", "v2", "widgets")).toBe(again);
    expect([catalog.find("example.com", "v1", "widgets"), catalog.find("example.com", "v1", "others")]).toEqual([
      undefined,
      other,
    ]);
    expect(told).toHaveBeenCalledTimes(3);
  });

  it("is accompanied in its writes by whoever says so, also afterwards", () => {
    catalog = testCatalog();
    const jobs = builtIn(catalog, "batch/v1", "jobs");
    const collaborator = {} as WriteCollaborator;
    expect(jobs.collaborator).toBeUndefined();
    catalog.collaborate("jobs.batch", collaborator);
    expect(jobs.collaborator).toBe(collaborator);
  });

  it("is handed over without what a server has added to it", async () => {
    catalog = testCatalog();
    const told = vi.fn();
    catalog.onChange(told);
    catalog.collaborate("jobs.batch", {} as WriteCollaborator);
    catalog.replaceCustom(undefined, definition(custom("example.com", "v1", "widgets")));
    const options = { prefix: "/registry/example.com/widgets/", namespaced: true, fieldsOf: () => ({}) };
    const store = catalog.customStore({ group: "example.com", resource: "widgets" }, options);
    told.mockClear();
    await catalog.handOver();
    catalog.announce();
    expect(told).not.toHaveBeenCalled();
    expect(builtIn(catalog, "batch/v1", "jobs").collaborator).toBeUndefined();
    expect(catalog.find("example.com", "v1", "widgets")).toBeUndefined();
    expect(catalog.all().some(({ custom }) => custom)).toBe(false);
    expect([...catalog.stores()].includes(store)).toBe(false);
  });
});

describe("where objects are", () => {
  it("is one place for all versions and groups of a kind, and none for what is only asked", () => {
    catalog = testCatalog();
    const [v1, v2] = ["autoscaling/v1", "autoscaling/v2"].map((version) =>
      builtIn(catalog, version, "horizontalpodautoscalers"),
    );
    expect(v1?.store).toBe(v2?.store);
    expect([v1?.storedForm, v2?.storedForm]).toEqual([false, true]);
    const events = builtIn(catalog, "v1", "events");
    expect(events.store).toBe(builtIn(catalog, "events.k8s.io/v1", "events").store);
    expect(builtIn(catalog, "authentication.k8s.io/v1", "tokenreviews").store).toBeUndefined();
    expect(catalog.isBuiltInPrefix("/registry/configmaps/")).toBe(true);
    expect(catalog.isBuiltInPrefix("/registry/example.com/widgets/")).toBe(false);
  });

  it("is kept for custom resources until it is dropped, the newest last", async () => {
    catalog = testCatalog();
    const options = { prefix: "/registry/example.com/widgets/", namespaced: true, fieldsOf: () => ({}) };
    const widgets = { group: "example.com", resource: "widgets" };
    const [first, second] = [catalog.customStore(widgets, options), catalog.customStore(widgets, options)];
    expect([...catalog.stores()].slice(-2)).toEqual([first, second]);
    await catalog.dropCustomStore(first);
    expect([...catalog.stores()].includes(first)).toBe(false);
    const records = catalog.privateStore("/registry/ranges/");
    expect(catalog.privateStore("/registry/ranges/")).toBe(records);
  });
});

describe("versions of an object", () => {
  const autoscaler = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "a" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 3, targetCPUUtilizationPercentage: 70 },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  } as unknown as ApiObject;

  it("are stored as one and read as another, each under its own name", async () => {
    catalog = testCatalog();
    const v1 = builtIn(catalog, "autoscaling/v1", "horizontalpodautoscalers");
    const stored = await v1.toStored(autoscaler);
    expect(stored).toMatchObject({
      apiVersion: "autoscaling/v2",
      spec: { metrics: [{ resource: { target: { averageUtilization: 70 } } }] },
    });
    const [read] = await v1.fromStored([stored]);
    expect(read).toMatchObject({ apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 70 } });
  });

  it("are made of very many objects in turns, where somebody waits for them", async () => {
    catalog = testCatalog();
    const v1 = builtIn(catalog, "autoscaling/v1", "horizontalpodautoscalers");
    const stored = await v1.toStored(autoscaler);
    const all = Array.from({ length: 60 }, () => stored);
    const read = await asSlowWork(10, () => {
      expect(v1.fromStored(all)).not.toBeInstanceOf(Promise);
      const reading = v1.fromStored(all, { signal: new AbortController().signal });
      expect(reading).toBeInstanceOf(Promise);
      return reading;
    });
    expect(read).toHaveLength(60);
  });

  it("are made of parts of objects too", async () => {
    catalog = testCatalog();
    const v2 = builtIn(catalog, "autoscaling/v2", "horizontalpodautoscalers");
    const part = { kind: autoscaler.kind, apiVersion: "autoscaling/v2", metadata: {}, spec: { maxReplicas: 2 } };
    const converted = await v2.versionAt?.("autoscaling/v1")?.convert(part as unknown as ApiObject);
    expect(converted).toMatchObject({ apiVersion: "autoscaling/v1", spec: { maxReplicas: 2 } });
    expect(v2.versionAt?.("autoscaling/v9")).toBeUndefined();
    expect(v2.versionAt?.("apps/v1")).toBeUndefined();
  });

  it.each([
    ["autoscaling", "v1", "HorizontalPodAutoscaler", "version"],
    ["apps", "v1", "Deployment", "foreign"],
    ["apps", "v1", "Nothing", undefined],
  ])("are told from other kinds: %s/%s %s", (group, version, kind, relation) => {
    catalog = testCatalog();
    const v2 = builtIn(catalog, "autoscaling/v2", "horizontalpodautoscalers");
    expect(v2.relationOf?.(group, version, kind)).toBe(relation);
  });
});

it("knows what the selectable fields of every kind are made of", () => {
  catalog = testCatalog();
  const kinds = [...new Set(catalog.all().map(({ kind }) => kind))].filter((kind) => kind.storedAs === undefined);
  for (const kind of kinds) {
    const known = fieldPathsOf(kind).map((path) => `${path.join(".")}.`);
    const read = pathsRead(Object.values(kind.selectableFields ?? {}));
    const unknown = read.filter((path) => !known.some((one) => path.startsWith(one) || one.startsWith(path)));
    expect([kind.kind, unknown]).toEqual([kind.kind, []]);
  }
  expect(kinds.filter((kind) => kind.selectableFields !== undefined).length).toBeGreaterThan(8);
});

/** Where the functions look in an object: `spec.`, `spec.nodeName.` */
function pathsRead(functions: readonly ((object: never) => string)[]): string[] {
  const paths: string[] = [];
  const traced = (path: string): object =>
    new Proxy(
      {},
      {
        get(_, name) {
          if (typeof name !== "string") return () => "";
          paths.push(`${path}${name}.`);
          return traced(`${path}${name}.`);
        },
      },
    );
  for (const of of functions) of(traced("") as never);
  return paths;
}
