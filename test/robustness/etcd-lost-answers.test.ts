// Writes whose request or answer is lost with the connection: what happened is reported truly, or not at all.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { bytes, eventually, follow, text } from "../../src/storage/contract/follow.testing.ts";
import type { StorageEngine } from "../../src/storage/engine.ts";
import { openEtcdEngine } from "../../src/storage/etcd-engine.ts";
import { type EtcdServer, etcdMissing, startEtcdServer } from "../../src/testing/etcd-server.testing.ts";
import { type FaultProxy, startFaultProxy } from "./etcd-proxy.testing.ts";

const missing = etcdMissing();

describe.skipIf(missing !== undefined)(missing ?? "etcd writes with lost answers", () => {
  let server: EtcdServer;
  let proxy: FaultProxy;
  /** Reaches etcd through the proxy. */
  let engine: StorageEngine;
  /** Reaches etcd directly: sees what really happened. */
  let witness: StorageEngine;
  let tests = 0;

  beforeAll(async () => {
    server = await startEtcdServer();
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    proxy = await startFaultProxy(server.endpoint);
    const prefix = `/test-${tests++}`;
    engine = await openEtcdEngine({ endpoints: [proxy.endpoint], prefix });
    witness = await openEtcdEngine({ endpoints: [server.endpoint], prefix });
  });
  afterEach(async () => {
    await engine.close();
    await witness.close();
    await proxy.stop();
  });

  const holds = (key: string, value: string | undefined) =>
    eventually(async () => text((await witness.get(key))?.value) === value, `${key} is ${value}`);

  it("answers a create that was done with its true revision", async () => {
    proxy.swallowAnswers();
    const created = engine.create("/a", bytes("mine"));
    await holds("/a", "mine");
    proxy.cut();
    expect(await created).toBe((await witness.get("/a"))?.revision);
  });

  it("answers a create with its true revision also when the key was updated since", async () => {
    proxy.swallowAnswers();
    const created = engine.create("/a", bytes("mine"));
    await holds("/a", "mine");
    const first = (await witness.get("/a"))?.revision ?? 0;
    await witness.update("/a", bytes("theirs"), first);
    proxy.cut();
    expect(await created).toBe(first);
  });

  it("does not repeat a create that may have been done and undone", async () => {
    proxy.swallowAnswers();
    const created = engine.create("/a", bytes("mine")).catch((error: unknown) => error);
    await holds("/a", "mine");
    await witness.delete("/a", (await witness.get("/a"))?.revision ?? 0);
    proxy.cut();
    expect(await created).toMatchObject({ code: "Undecided" });
    expect(await witness.get("/a")).toBeUndefined();
  });

  it("says Undecided when another creator won and its own try may have come first", async () => {
    const lost = proxy.swallowRequests();
    const created = engine.create("/a", bytes("mine")).catch((error: unknown) => error);
    await lost;
    await witness.create("/a", bytes("theirs"));
    proxy.cut();
    expect(await created).toMatchObject({ code: "Undecided" });
  });

  it("answers KeyExists when the key was there before the interrupted create", async () => {
    await engine.create("/a", bytes("old"));
    proxy.swallowAnswers();
    const created = engine.create("/a", bytes("old")).catch((error: unknown) => error);
    proxy.cut();
    expect(await created).toMatchObject({ code: "KeyExists" });
  });

  it("answers an update that was done with its true revision, and does it once", async () => {
    const first = await engine.create("/a", bytes("1"));
    proxy.swallowAnswers();
    const updated = engine.update("/a", bytes("mine"), first);
    await holds("/a", "mine");
    proxy.cut();
    expect(await updated).toBe((await witness.get("/a"))?.revision);
    const watch = follow(witness, "/", first);
    await witness.requestProgress();
    await watch.progressTo(await updated);
    expect(watch.changes.length).toBe(1);
    await watch.stop();
  });

  it("answers an update with its true revision also when others have written on top of it", async () => {
    const first = await engine.create("/a", bytes("1"));
    proxy.swallowAnswers();
    const updated = engine.update("/a", bytes("mine"), first);
    await holds("/a", "mine");
    const mine = (await witness.get("/a"))?.revision ?? 0;
    let top = mine;
    for (let step = 0; step < 5; step++) top = await witness.update("/a", bytes(`theirs ${step}`), top);
    proxy.cut();
    expect(await updated).toBe(mine);
  });

  it("answers a guarded update that was done with its true revision also when the guard has gone since", async () => {
    const first = await engine.create("/a", bytes("1"));
    const guard = await engine.create("/guard", bytes(""));
    proxy.swallowAnswers();
    const updated = engine.update("/a", bytes("mine"), first, { guard: "/guard" });
    await holds("/a", "mine");
    await witness.delete("/guard", guard);
    proxy.cut();
    expect(await updated).toBe((await witness.get("/a"))?.revision);
  });

  it("says that the guard has gone when a guarded update never arrived", async () => {
    const first = await engine.create("/a", bytes("1"));
    const guard = await engine.create("/guard", bytes(""));
    const lost = proxy.swallowRequests();
    const updated = engine.update("/a", bytes("2"), first, { guard: "/guard" }).catch((error: unknown) => error);
    await lost;
    await witness.delete("/guard", guard);
    proxy.cut();
    expect(await updated).toMatchObject({ code: "GuardGone" });
    expect(await witness.get("/a")).toMatchObject({ revision: first });
  });

  it("sends an update again that never arrived", async () => {
    const first = await engine.create("/a", bytes("1"));
    const lost = proxy.swallowRequests();
    const updated = engine.update("/a", bytes("2"), first);
    await lost;
    proxy.cut();
    expect(await updated).toBeGreaterThan(first);
    expect(text((await witness.get("/a"))?.value)).toBe("2");
  });

  it("reports the conflict when another writer came first", async () => {
    const first = await engine.create("/a", bytes("1"));
    const lost = proxy.swallowRequests();
    const updated = engine.update("/a", bytes("mine"), first).catch((error: unknown) => error);
    await lost;
    const theirs = await witness.update("/a", bytes("theirs"), first);
    proxy.cut();
    expect(await updated).toMatchObject({ code: "RevisionMismatch", details: { current: { revision: theirs } } });
  });

  it("says Undecided when the updated key was deleted meanwhile", async () => {
    const first = await engine.create("/a", bytes("1"));
    proxy.swallowAnswers();
    const updated = engine.update("/a", bytes("mine"), first).catch((error: unknown) => error);
    await holds("/a", "mine");
    await witness.delete("/a", (await witness.get("/a"))?.revision ?? 0);
    proxy.cut();
    expect(await updated).toMatchObject({ code: "Undecided" });
  });

  it("never lets two writers of the same bytes both win one revision", async () => {
    const first = await engine.create("/a", bytes("1"));
    proxy.swallowAnswers();
    const twins = [engine.update("/a", bytes("same"), first), engine.update("/a", bytes("same"), first)];
    const results = Promise.allSettled(twins);
    await holds("/a", "same");
    proxy.cut();
    expect((await results).filter((result) => result.status === "fulfilled").length).toBeLessThanOrEqual(1);
  });

  it("does not claim a delete that somebody else may have done", async () => {
    const first = await engine.create("/a", bytes("1"));
    proxy.swallowAnswers();
    const deleted = engine.delete("/a", first).catch((error: unknown) => error);
    await holds("/a", undefined);
    proxy.cut();
    expect(await deleted).toMatchObject({ code: "Undecided" });
  });

  it("sends a delete again that never arrived, and reports a conflict that it finds", async () => {
    const first = await engine.create("/a", bytes("1"));
    const other = await engine.create("/b", bytes("1"));
    const lost = proxy.swallowRequests();
    const deleted = engine.delete("/a", first);
    const refused = engine.delete("/b", other).catch((error: unknown) => error);
    await lost;
    const theirs = await witness.update("/b", bytes("2"), other);
    proxy.cut();
    expect(await deleted).toBeGreaterThan(theirs);
    expect(await refused).toMatchObject({ code: "RevisionMismatch", details: { current: { revision: theirs } } });
    expect(await witness.get("/a")).toBeUndefined();
  });

  it("resumes watches exactly, however often the connection breaks", async () => {
    const start = await witness.currentRevision();
    const watch = follow(engine, "/", start);
    const revisions: number[] = [];
    for (let round = 0; round < 10; round++) {
      if (round % 3 === 1) proxy.swallowAnswers();
      for (let step = 0; step < 20; step++) revisions.push(await witness.create(`/${round}-${step}`, bytes("x")));
      proxy.cut();
    }
    await watch.count(revisions.length);
    expect(watch.changes.map((change) => change.revision)).toEqual(revisions);
    await watch.stop();
  });

  it("notices that the very next change, a delete, was compacted while the watch was cut off", async () => {
    const created = await engine.create("/a", bytes("1"));
    const watch = follow(engine, "/", created);
    await engine.requestProgress();
    await watch.progressTo(created);
    proxy.swallowAnswers();
    await witness.compact(await witness.delete("/a", created));
    proxy.cut();
    await witness.create("/b", bytes("1"));
    await expect(watch.ended).rejects.toMatchObject({ code: "RevisionGone" });
    expect(watch.changes).toEqual([]);
  });

  it("tells a watch whose history was compacted while it was cut off", async () => {
    const start = await engine.currentRevision();
    const watch = follow(engine, "/", start);
    await engine.requestProgress();
    await watch.progressTo(start);
    proxy.swallowAnswers();
    await witness.create("/a", bytes("1"));
    const later = await witness.create("/b", bytes("1"));
    await witness.compact(later);
    proxy.cut();
    await expect(watch.ended).rejects.toMatchObject({ code: "RevisionGone", details: { revision: later } });
    const again = follow(engine, "/", await engine.currentRevision());
    await engine.create("/c", bytes("1"));
    await again.count(1);
    await again.stop();
  });
});
