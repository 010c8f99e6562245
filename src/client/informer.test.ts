import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { kinds } from "./built-in-kinds.ts";
import { type ClientInProcess, clientInProcess } from "./client.testing.ts";
import { byController, byLabel, byOwner } from "./indexes.ts";
import { ResourceClient } from "./resource-client.ts";
import { SharedInformers } from "./shared-informers.ts";
import type { Transport } from "./transport.ts";

const configMaps = kinds.core.v1.configMaps;

describe("an informer", () => {
  let run: ClientInProcess;
  beforeEach(async () => {
    run = await clientInProcess();
  });
  afterEach(() => run.close());

  const until = (condition: () => boolean) => vi.waitFor(() => expect(condition()).toBe(true), { timeout: 5_000 });
  const told = (seen: string[]) => ({
    added: ({ metadata }: { metadata: { name: string } }) => seen.push(`added ${metadata.name}`),
    updated: (object: { data?: object }, old: { data?: object }) =>
      seen.push(`updated ${JSON.stringify(old.data)} ${JSON.stringify(object.data)}`),
    deleted: ({ metadata }: { metadata: { name: string } }) => seen.push(`deleted ${metadata.name}`),
  });

  it.each(["stream", "list"] as const)("follows every change in order, with old and new (%s)", async (initialState) => {
    const maps = run.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "a" }, data: { v: "1" } });
    const informer = run.client.informer(configMaps, { namespace: "default", initialState });
    const seen: string[] = [];
    informer.addHandlers(told(seen));
    expect(informer.synced).toBe(false);
    informer.start();
    await informer.whenSynced();
    await maps.patch("a", { merge: { data: { v: "2" } } });
    await maps.create({ metadata: { name: "b" } });
    await maps.delete("a");
    await until(() => seen.length === 4);
    expect(seen).toEqual(["added a", 'updated {"v":"1"} {"v":"2"}', "added b", "deleted a"]);
    expect(informer.cache.list().map(({ kind, metadata }) => [kind, metadata.name])).toEqual([["ConfigMap", "b"]]);
    await informer.stop();
  });

  it("tells handlers that come late of what is there, and no longer once they are removed", async () => {
    const maps = run.client.core.v1.configMaps("default");
    await maps.create({ metadata: { name: "a" } });
    const informer = run.client.informer(configMaps, { namespace: "default" });
    informer.start();
    await informer.whenSynced();
    const [early, late]: string[][] = [[], []];
    const registration = informer.addHandlers(told(early!));
    registration.remove();
    informer.addHandlers(told(late!));
    await maps.delete("a");
    await until(() => late!.length === 2);
    expect([early, late]).toEqual([["added a"], ["added a", "deleted a"]]);
    await informer.stop();
  });

  it("shares objects with others of the process that follow the same, frozen", async () => {
    const maps = run.client.core.v1.configMaps("default");
    const follow = async (withoutManagedFields: boolean) => {
      const informer = run.client.informer(configMaps, { namespace: "default", withoutManagedFields });
      informer.start();
      await informer.whenSynced();
      return informer;
    };
    const [whole, one, other] = [await follow(false), await follow(true), await follow(true)];
    await maps.create({ metadata: { name: "a" }, data: { v: "1" } });
    const held = await vi.waitFor(() => {
      const all = [whole, one, other].map(({ cache }) => cache.get("default/a"));
      return all.map((object) => object ?? expect.fail("not there yet"));
    });
    expect(held[1]).toBe(held[2]);
    expect(Object.isFrozen(held[1]!.data)).toBe(true);
    expect(held.map(({ metadata }) => metadata.managedFields?.length)).toEqual([1, undefined, undefined]);
    await Promise.all([whole, one, other].map((informer) => informer.stop()));
  });

  it("gives a watch beside it objects of its own", async () => {
    const informer = run.client.informer(configMaps, { namespace: "default" });
    informer.start();
    await informer.whenSynced();
    const maps = run.client.core.v1.configMaps("default");
    const stop = new AbortController();
    const changes = maps.watch({ signal: stop.signal });
    await changes.next();
    await maps.create({ metadata: { name: "a" } });
    const { value } = await changes.next();
    await until(() => informer.cache.size === 1);
    expect(value).toMatchObject({ type: "ADDED", object: { metadata: { name: "a" } } });
    expect(Object.isFrozen((value as { object: object }).object)).toBe(false);
    stop.abort();
    await changes.next().catch(() => undefined);
    await informer.stop();
  });

  it("goes on when a handler throws", async () => {
    const errors: unknown[] = [];
    const informer = run.client.informer(configMaps, { onError: (error) => errors.push(error) });
    const seen: string[] = [];
    informer.addHandlers({
      added() {
        throw new Error("broken");
      },
    });
    informer.addHandlers(told(seen));
    informer.start();
    await informer.whenSynced();
    await run.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    await until(() => seen.includes("added a"));
    expect(errors).toEqual(Array(seen.length).fill(new Error("broken")));
    await informer.stop();
  });

  it("says that changes were missed before it tells what came of them", async () => {
    const end = new AbortController();
    const inner = run.client.transport;
    const expired = { kind: "Status", apiVersion: "v1", status: "Failure", code: 410, reason: "Expired", metadata: {} };
    let streams = 0;
    const forgetting: Transport = {
      connect: (request) => inner.connect(request),
      close: () => inner.close(),
      async request(request) {
        streams += 1;
        if (streams > 1) return inner.request(request);
        const answer = await inner.request({ ...request, signal: end.signal });
        return {
          ...answer,
          async *stream() {
            try {
              yield* answer.stream();
            } finally {
              yield Buffer.from(`${JSON.stringify({ type: "ERROR", object: expired })}\n`);
            }
          },
        };
      },
    };
    const informer = new ResourceClient({ transport: forgetting, dialect: "platform" }).informer(configMaps);
    const seen: string[] = [];
    informer.addHandlers({ ...told(seen), missed: () => void seen.push("missed") });
    informer.start();
    await informer.whenSynced();
    expect(seen).not.toContain("missed");
    end.abort();
    await run.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    await until(() => seen.includes("added a"));
    expect(seen.filter((each) => each === "missed" || each === "added a")).toEqual(["missed", "added a"]);
    await informer.stop();
  });

  it("finds objects by index, through changes", async () => {
    const maps = run.client.core.v1.configMaps("default");
    const owner = { apiVersion: "v1", kind: "Node", name: "n", uid: "u1", controller: true };
    await maps.create({ metadata: { name: "a", labels: { app: "x" }, ownerReferences: [owner] } });
    await maps.create({ metadata: { name: "b", labels: { app: "y" } } });
    const informer = run.client.informer(configMaps, {
      namespace: "default",
      indexes: { app: byLabel("app"), controller: byController },
    });
    informer.start();
    await informer.whenSynced();
    const names = (index: string, value: string) => informer.cache.byIndex(index, value).map((o) => o.metadata.name);
    expect([names("app", "x"), names("app", "y"), names("controller", "u1")]).toEqual([["a"], ["b"], ["a"]]);
    await maps.patch("a", { merge: { metadata: { labels: { app: "y" } } } });
    await maps.delete("b");
    await until(() => informer.cache.size === 1);
    expect([names("app", "x"), names("app", "y")]).toEqual([[], ["a"]]);
    expect(["x", "y"].map((app) => informer.cache.countByIndex("app", app))).toEqual([0, 1]);
    expect(informer.cache.list("default")).toHaveLength(1);
    expect(informer.cache.list("other")).toEqual([]);
    expect(() => informer.cache.byIndex("none", "")).toThrow('no index "none"');
    await informer.stop();
  });

  it("holds objects that nobody can change", async () => {
    await run.client.core.v1.configMaps("default").create({ metadata: { name: "a" }, data: { k: "v" } });
    const informer = run.client.informer(configMaps, { namespace: "default" });
    informer.start();
    await informer.whenSynced();
    const held = informer.cache.get("default/a")!;
    expect(() => {
      held.data!["k"] = "other";
    }).toThrow(TypeError);
    expect(informer.cache.get({ namespace: "default", name: "a" })).toBe(held);
    await informer.stop();
  });

  it("tells of every object again after the resync period", async () => {
    const clock = new FakeClock();
    const client = new ResourceClient({ transport: run.client.transport, clock });
    await run.client.core.v1.configMaps("default").create({ metadata: { name: "a" }, data: { k: "v" } });
    const informer = client.informer(configMaps, { namespace: "default" });
    const seen: string[] = [];
    informer.addHandlers(told(seen), { resyncMs: 10_000 });
    informer.start();
    await informer.whenSynced();
    await clock.advance(10_000);
    expect(seen).toEqual(["added a", 'updated {"k":"v"} {"k":"v"}']);
    await informer.stop();
  });

  it("asks for one stream, however many follow it", async () => {
    const asked: string[] = [];
    const { transport } = run.client;
    const counting: Transport = {
      request(request) {
        asked.push(new URL(request.path, "https://x").searchParams.get("watch") ?? "list");
        return transport.request(request);
      },
      connect: (request) => transport.connect(request),
      close: () => transport.close(),
    };
    const informers = new SharedInformers(new ResourceClient({ transport: counting }));
    const seen = [[], [], []] as string[][];
    for (const names of seen) informers.of(configMaps, { namespace: "default" }).addHandlers(told(names));
    informers.start();
    await informers.whenSynced();
    await run.client.core.v1.configMaps("default").create({ metadata: { name: "a" } });
    await until(() => seen.every((names) => names.includes("added a")));
    expect(asked).toEqual(["true"]);
    await informers.stop();
  });

  it("serves those who want all objects too, unless only what changes is followed", () => {
    const emptyResources = { find: async () => undefined };
    const ofAll = [undefined, emptyResources].map((known) => {
      const client = new ResourceClient({ transport: run.client.transport, emptyResources: known });
      const informers = new SharedInformers(client);
      const changed = informers.of(configMaps, { onlyChanged: true });
      return [informers.of(configMaps) === changed, informers.following("", "configmaps") === changed];
    });
    expect(ofAll).toEqual([
      [true, true],
      [false, false],
    ]);
  });

  it("asks once what the server serves for all that begin together, and anew for those after them", async () => {
    const { transport } = run.client;
    const asked: string[] = [];
    const counting: Transport = {
      request(request) {
        if (request.path === "/apis") asked.push(request.path);
        return transport.request(request);
      },
      connect: (request) => transport.connect(request),
      close: () => transport.close(),
    };
    const clock = new FakeClock();
    const informers = new SharedInformers(new ResourceClient({ transport: counting, clock }));
    informers.of(configMaps);
    informers.start();
    await Promise.all([informers.whenServedSynced(), informers.whenServedSynced()]);
    await informers.whenServedSynced();
    expect(asked).toHaveLength(1);
    await clock.advance(1_001);
    expect((await informers.served())?.resources.some(({ resource }) => resource === "configmaps")).toBe(true);
    expect(asked).toHaveLength(2);
    await informers.stop();
  });

  it("finds objects by every owner, and by any function", async () => {
    const maps = run.client.core.v1.configMaps("default");
    const owner = (uid: string) => ({ apiVersion: "v1", kind: "Node", name: "n", uid });
    await maps.create({ metadata: { name: "a", ownerReferences: [owner("u1"), owner("u2")] }, data: { k: "1" } });
    const informer = run.client.informer(configMaps, {
      namespace: "default",
      indexes: { owner: byOwner, keys: ({ data = {} }) => Object.keys(data) },
    });
    informer.start();
    await informer.whenSynced();
    const found = (index: string, value: string) => informer.cache.byIndex(index, value).map((o) => o.metadata.name);
    expect([found("owner", "u1"), found("owner", "u2"), found("keys", "k")]).toEqual([["a"], ["a"], ["a"]]);
    await informer.stop();
  });

  it("is one for everybody in a process who asks for the same", async () => {
    const informers = new SharedInformers(run.client);
    const first = informers.of(configMaps, { namespace: "default" });
    const second = informers.of(configMaps, { namespace: "default", indexes: { app: byLabel("app") } });
    expect(second).toBe(first);
    informers.start();
    await informers.whenSynced();
    expect(first.cache.byIndex("app", "x")).toEqual([]);
    expect(informers.of(configMaps)).not.toBe(first);
    await informers.stop();
  });
});
