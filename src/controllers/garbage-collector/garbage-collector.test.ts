// Garbage collection over a whole server. Requirements: document 1, "Deletion of an object"; policies as upstream.

import { describe, expect, it } from "vitest";
import { eventuallyAt } from "../../base/eventually.testing.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Transport } from "../../client/transport.ts";
import { DIALECTS } from "../../meta/names.ts";
import type { OwnerReference } from "../../meta/object.ts";
import { MemoryEngine } from "../../storage/memory-engine.ts";
import { type ControllersInProcess, controllersInProcess } from "../controllers.testing.ts";
import { faultyTransport, seeded } from "../faults.testing.ts";
import { type ControllerDefinition, done } from "../framework/controller.ts";
import { LostWatch } from "../lost-watch.testing.ts";
import { garbageCollector } from "./garbage-collector.ts";

const start = (dialect: "platform" | "kubernetes" = "platform") =>
  controllersInProcess({ definitions: [garbageCollector], dialect });

type Owner = { readonly metadata: { readonly name: string; readonly uid: string } };

const ownedBy = ({ metadata: { name, uid } }: Owner, blockOwnerDeletion = false): OwnerReference => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name,
  uid,
  blockOwnerDeletion,
});

function family({ client, eventually }: ControllersInProcess, namespace = "default") {
  const maps = client.core.v1.configMaps(namespace);
  return {
    maps,
    make: (name: string, owners: OwnerReference[] = [], finalizers: string[] = []) =>
      maps.create({ metadata: { name, ownerReferences: owners, finalizers } }),
    gone: (...names: string[]) =>
      eventually(async () =>
        expect(await Promise.all(names.map((name) => maps.find(name)))).toEqual(names.map(() => undefined)),
      ),
    /** After whatever the collector does for a while. */
    stays: async (name: string) => expect(await maps.find(name)).toBeDefined(),
    ownersOf: async (name: string) => ((await maps.get(name)).metadata.ownerReferences ?? []).map(({ uid }) => uid),
  };
}

/** Something else that is collected, made after everything before it was seen. */
async function turnOver(run: ControllersInProcess): Promise<void> {
  const { make, maps, gone } = family(run);
  const owner = await make("turn-owner");
  await make("turn", [ownedBy(owner)]);
  await maps.delete("turn-owner");
  await gone("turn");
}

describe("the garbage collector", () => {
  it.each(DIALECTS)("ends what has no owner left, in the background, in the dialect %s", async (dialect) => {
    const run = await start(dialect);
    const { maps, make, gone, stays, ownersOf } = family(run);
    const a = await make("a");
    const b = await make("b");
    const child = await make("child", [ownedBy(a, true)]);
    await make("grandchild", [ownedBy(child)]);
    await make("of-two", [ownedBy(a), ownedBy(b)]);
    await make("nobodys");
    await maps.delete("a", { propagationPolicy: "Background" });
    await gone("a", "child", "grandchild");
    await run.eventually(async () => expect(await ownersOf("of-two")).toEqual([b.metadata.uid]));
    await stays("nobodys");
    await run.close();
  });

  it("follows along where other controllers follow a kind already", async () => {
    const asked: string[] = [];
    const follower: ControllerDefinition = {
      name: "follower",
      build({ informers }) {
        informers.of(kinds.core.v1.configMaps);
        return { watch: () => undefined, reconcile: async () => done };
      },
    };
    const run = await controllersInProcess({
      definitions: [garbageCollector, follower],
      between: (transport) => ({
        request(request) {
          asked.push(request.path);
          return transport.request(request);
        },
        connect: (request) => transport.connect(request),
        close: () => transport.close(),
      }),
    });
    const { maps, make, gone, stays } = family(run);
    const a = await make("a");
    const child = await make("child", [ownedBy(a)]);
    await make("grandchild", [ownedBy(child, true)]);
    await make("nobodys");
    await run.restart();
    await maps.delete("a", { propagationPolicy: "Foreground" });
    await gone("a", "child", "grandchild");
    await stays("nobodys");
    const watched = asked.filter((path) => path.includes("watch=true"));
    expect(watched.some((path) => path.startsWith("/api/v1/secrets?"))).toBe(true);
    expect(watched.filter((path) => path.startsWith("/api/v1/configmaps?"))).toEqual([]);
    await run.close();
  });

  it.each([
    ["for itself", []],
    ["along with others", [kinds.core.v1.configMaps, kinds.core.v1.secrets]],
  ])("does not take an owner for absent that a store has again which was put back, following %s", async (_, others) => {
    const engine = new MemoryEngine();
    const maps = new LostWatch((path) => path.startsWith("/api/v1/configmaps?"));
    const secrets = new LostWatch((path) => path.startsWith("/api/v1/secrets?"));
    const between = (transport: Transport) => maps.beforeManager(secrets.beforeManager(transport));
    const follower: ControllerDefinition = {
      name: "follower",
      build({ informers }) {
        for (const kind of others) informers.of<object>(kind);
        return { watch: () => undefined, reconcile: async () => done };
      },
    };
    const definitions = [garbageCollector, follower];
    const run = await controllersInProcess({ definitions, engine, between, beforeManager: between });
    const { client, clock } = run;
    const { make, gone } = family(run);
    const owner = await client.core.v1.secrets("default").create({ metadata: { name: "owner" } });
    await make("child", [{ ...ownedBy(owner), kind: "Secret" }]);
    const { entries } = await engine.list("/");
    await client.core.v1.secrets("default").delete("owner", { propagationPolicy: "Background" });
    await gone("child");
    await turnOver(run);

    maps.lose();
    secrets.lose();
    const after = new Set((await engine.list("/")).entries.map(({ key }) => key));
    for (const { key, value } of entries) if (!after.has(key)) await engine.create(key, value);
    const objects = client.core.v1.configMaps("default");
    await make("turn", [ownedBy(await make("turn-owner"))]);
    await objects.delete("turn-owner", { propagationPolicy: "Orphan" });
    await objects.patch("turn-owner", { merge: { metadata: { finalizers: null } } });
    // The dependent is heard of before its owner is.
    maps.find();
    await eventuallyAt(clock, 500, async () => expect(await objects.find("turn")).toBeUndefined());
    await run.eventually(() => expect(run.manager.busy).toBe(false));
    expect(await objects.find("child")).toBeDefined();
    secrets.find();
    await run.close();
  });

  it("ends dependents before their owner, in the foreground", async () => {
    const run = await start();
    const { maps, make, gone, ownersOf } = family(run);
    const a = await make("a");
    const other = await make("other");
    await make("held", [ownedBy(a, true)], ["example.com/held"]);
    await make("not-blocking", [ownedBy(a)], ["example.com/held"]);
    await make("shared", [ownedBy(a, true), ownedBy(other)]);
    await maps.delete("a", { propagationPolicy: "Foreground" });
    await run.eventually(async () => expect(await ownersOf("shared")).toEqual([other.metadata.uid]));
    await run.eventually(async () => expect((await maps.get("held")).metadata.deletionTimestamp).toBeDefined());
    await turnOver(run);
    expect((await maps.get("a")).metadata.finalizers).toEqual(["foregroundDeletion"]);
    await maps.patch("held", { merge: { metadata: { finalizers: null } } });
    await gone("held", "a");
    expect((await maps.get("not-blocking")).metadata.deletionTimestamp).toBeDefined();
    await run.close();
  });

  it("lets dependents go, as orphans", async () => {
    const run = await start();
    const { maps, make, gone, ownersOf } = family(run);
    const a = await make("a");
    const b = await make("b");
    await make("child", [ownedBy(a, true)]);
    await make("of-two", [ownedBy(a), ownedBy(b)]);
    await maps.delete("a", { propagationPolicy: "Orphan" });
    await gone("a");
    await turnOver(run);
    expect(await ownersOf("child")).toEqual([]);
    expect(await ownersOf("of-two")).toEqual([b.metadata.uid]);
    await run.close();
  });

  it("ends a circle of owners, in the foreground too", async () => {
    const run = await start();
    const { maps, make, gone } = family(run);
    const a = await make("a");
    const b = await make("b", [ownedBy(a, true)]);
    const c = await make("c", [ownedBy(b, true)]);
    await maps.patch("a", { merge: { metadata: { ownerReferences: [ownedBy(c, true)] } } });
    await turnOver(run);
    await maps.delete("b", { propagationPolicy: "Foreground" });
    await gone("a", "b", "c");
    await run.close();
  });

  it("ends what names an owner that never was, or was another object of that name", async () => {
    const run = await start();
    const { maps, make, gone, stays } = family(run);
    const a = await make("a");
    await make("liar", [{ ...ownedBy(a), uid: "11111111-2222-3333-4444-555555555555" }]);
    await make("wrong-name", [{ ...ownedBy(a), name: "b" }]);
    await make("wrong-kind", [{ ...ownedBy(a), kind: "Secret" }]);
    await gone("liar", "wrong-name", "wrong-kind");
    await make("honest", [ownedBy(a)]);
    await maps.delete("a", { propagationPolicy: "Background" });
    await make("a");
    await gone("honest");
    await stays("a");
    await run.close();
  });

  it("decides nothing about owners of kinds that nobody serves, until they are served", async () => {
    const run = await start();
    const { make, gone, stays } = family(run);
    const uid = "11111111-2222-3333-4444-555555555555";
    await make("child", [{ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid }]);
    await turnOver(run);
    await stays("child");
    await run.client.apiextensions.v1.customResourceDefinitions().create(widgets);
    await gone("child");
    const widget = { group: "example.com", version: "v1", resource: "widgets", kind: "Widget" };
    const owners = run.client.named(widget, "default");
    const owner = await run.eventually(() => owners.create({ metadata: { name: "w" } }));
    const reference = { apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: owner.metadata.uid };
    await make("owned", [reference]);
    await owners.create({ metadata: { name: "owned-too", ownerReferences: [reference] } });
    await turnOver(run);
    await stays("owned");
    await owners.delete("w", { propagationPolicy: "Foreground" });
    await gone("owned");
    await run.eventually(async () => expect((await owners.list()).items).toEqual([]));

    // With its definition a kind ends, with the kind its objects, with them their dependents.
    const last = await owners.create({ metadata: { name: "last" } });
    await make("of-the-last", [{ ...reference, name: "last", uid: last.metadata.uid }]);
    await turnOver(run);
    await stays("of-the-last");
    await run.client.apiextensions.v1.customResourceDefinitions().delete("widgets.example.com");
    await gone("of-the-last");
    await run.close();
  });

  it("tells dependents of owners in other namespaces, and ends them as those of nobody", async () => {
    const run = await start();
    await run.client.core.v1.namespaces().create({ metadata: { name: "other" } });
    const { make, gone } = family(run, "other");
    const owner = await family(run).make("a");
    await turnOver(run);
    const child = await make("child", [ownedBy(owner)]);
    const role = await run.client.rbac.v1.clusterRoles().create({
      metadata: { name: "cluster-wide", ownerReferences: [ownedBy(owner)] },
      rules: [],
    });
    await gone("child");
    await run.eventually(async () => {
      const events = (await run.client.core.v1.events().list()).items.map(({ involvedObject, reason, message }) => [
        involvedObject.uid,
        reason,
        message,
      ]);
      const { uid } = owner.metadata;
      const text = (namespace: string) =>
        `ownerRef [v1/ConfigMap, namespace: ${namespace}, name: a, uid: ${uid}] does not exist in namespace "${namespace}"`;
      expect(events).toContainEqual([child.metadata.uid, "OwnerRefInvalidNamespace", text("other")]);
      expect(events).toContainEqual([role.metadata.uid, "OwnerRefInvalidNamespace", text("")]);
    });
    expect(await run.client.rbac.v1.clusterRoles().find("cluster-wide")).toBeDefined();
    await run.close();
  });

  it("goes on after a crash in the middle", async () => {
    const run = await start();
    const { maps, make, gone, ownersOf } = family(run);
    const foreground = await make("foreground");
    const orphaned = await make("orphaned");
    const background = await make("background");
    for (let i = 0; i < 30; i += 1) {
      await make(`f${i}`, [ownedBy(foreground, true)]);
      await make(`o${i}`, [ownedBy(orphaned, true)]);
      await make(`b${i}`, [ownedBy(background)]);
    }
    await maps.delete("foreground", { propagationPolicy: "Foreground" });
    await maps.delete("orphaned", { propagationPolicy: "Orphan" });
    await maps.delete("background", { propagationPolicy: "Background" });
    for (let i = 0; i < 3; i += 1) await run.restart();
    const names = (prefix: string) => Array.from({ length: 30 }, (_, i) => `${prefix}${i}`);
    await gone("foreground", "orphaned", "background", ...names("f"), ...names("b"));
    await run.eventually(async () => {
      for (const name of names("o")) expect(await ownersOf(name)).toEqual([]);
    });
    await run.close();
  });

  it.each([1, 3])(
    "gets there over a server that fails now and then, and takes nothing that is owned: %i",
    async (seed) => {
      const random = seeded(seed);
      const run = await controllersInProcess({
        definitions: [garbageCollector],
        between: (transport) => faultyTransport(transport, { share: 0.3, random }),
      });
      const { maps, make } = family(run);
      const owners = {
        foreground: await make("foreground"),
        background: await make("background"),
        orphaned: await make("orphaned"),
        kept: await make("kept"),
      };
      const names = (prefix: string) => Array.from({ length: 8 }, (_, i) => `${prefix}${i}`);
      const ownersOfEach = (prefix: string, uids: string[]) =>
        Object.fromEntries(names(prefix).map((name) => [name, uids]));
      for (const name of names("f")) await make(name, [ownedBy(owners.foreground, true)]);
      for (const name of names("b")) await make(name, [ownedBy(owners.background)]);
      for (const name of names("o")) await make(name, [ownedBy(owners.orphaned, true)]);
      for (const name of names("k")) await make(name, [ownedBy(owners.kept), ownedBy(owners.background)]);
      await maps.delete("foreground", { propagationPolicy: "Foreground" });
      await run.restart();
      await maps.delete("background", { propagationPolicy: "Background" });
      await maps.delete("orphaned", { propagationPolicy: "Orphan" });
      const left = { kept: [], ...ownersOfEach("k", [owners.kept.metadata.uid]), ...ownersOfEach("o", []) };
      // What failed comes back later and later.
      await eventuallyAt(run.clock, 500, async () => {
        const { items } = await maps.list();
        const found = items.map(({ metadata: { name, ownerReferences = [] } }) => {
          return [name, ownerReferences.map(({ uid }) => uid)];
        });
        expect(Object.fromEntries(found)).toEqual(left);
      });
      await run.close();
    },
  );
});

const widgets = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced" as const,
    names: { plural: "widgets", singular: "widget", kind: "Widget" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object" as const } },
      },
    ],
  },
};
