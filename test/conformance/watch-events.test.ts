// Document 1, "Events", "Watch event".

import assert from "node:assert/strict";
import { describe, it, vi } from "vitest";
import { inProcessRequest } from "../../src/http/in-process.ts";
import { isStreamBody } from "../../src/http/message.ts";
import { api, configMap, inBothDialects } from "./conformance.testing.ts";

inBothDialects("Events", (dialect) => {
  it("streams every operation as its event, with the whole object", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const watch = await server.watch(`${at}?watch=1`);
    const created = await server.created(at, configMap("x"));
    const updated = (await server.put(`${at}/x`, configMap("x", { k: "1" }))).json;
    const patched = (await server.patch(`${at}/x`, { data: { k: "2" } })).json;
    await server.delete(`${at}/x`);
    const events = await watch.take(4);
    await watch.close();
    assert.deepEqual(events.slice(0, 3), [
      { type: "ADDED", object: created },
      { type: "MODIFIED", object: updated },
      { type: "MODIFIED", object: patched },
    ]);
    const { type, object } = events[3]!;
    assert.equal(type, "DELETED");
    const { resourceVersion, ...last } = object.metadata;
    // The object as it was, at the version of its end.
    assert.ok(Number(resourceVersion) > Number(patched.metadata.resourceVersion));
    assert.deepEqual({ ...object, metadata: { ...last, resourceVersion: patched.metadata.resourceVersion } }, patched);
  });

  it("shows an object that enters or leaves the selection as ADDED and DELETED", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const watch = await server.watch(`${at}?watch=1&labelSelector=app%3Dx`);
    await server.created(at, configMap("o"));
    for (const app of ["x", "x", "y", "x"])
      await server.patch(`${at}/o`, { metadata: { labels: { app, t: `${Math.random()}` } } });
    await server.delete(`${at}/o`);
    const events = await watch.take(5);
    await watch.close();
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${object.metadata.labels.app}`),
      ["ADDED x", "MODIFIED x", "DELETED x", "ADDED x", "DELETED x"],
    );
  });

  it("resumes exactly after the last version seen", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const first = await server.watch(`${at}?watch=1`);
    for (const name of ["a", "b"]) await server.created(at, configMap(name));
    const seen = (await first.take(2))[1]!.object.metadata.resourceVersion;
    await first.close();
    for (const name of ["c", "d"]) await server.created(at, configMap(name));
    const second = await server.watch(`${at}?watch=1&resourceVersion=${seen}`);
    await server.created(at, configMap("e"));
    assert.deepEqual(
      (await second.take(3)).map(({ object }) => object.metadata.name),
      ["c", "d", "e"],
    );
    await second.close();
  });

  it("sends no event for a write that changes nothing, and none for a dry run", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("x", { k: "1" }));
    const watch = await server.watch(`${at}?watch=1`);
    await server.put(`${at}/x`, configMap("x", { k: "1" }));
    await server.post(`${at}?dryRun=All`, configMap("dry"));
    await server.created(at, configMap("y"));
    assert.deepEqual(
      (await watch.take(2)).map(({ object }) => object.metadata.name),
      ["x", "y"],
    );
    await watch.close();
  });
});

describe("Events: bookmarks", () => {
  it("come at least every minute to whom asks for them, and hold nothing but the version", async () => {
    const server = await api();
    const at = await server.configMaps();
    const { resourceVersion } = (await server.created(at, configMap("x"))).metadata;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    try {
      const asked = await server.watch(`${at}?watch=1&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`);
      const not = await server.watch(`${at}?watch=1&resourceVersion=${resourceVersion}`);
      await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(60_000);
      const [{ type, object }] = (await asked.take(1)) as [{ type: string; object: Record<string, unknown> }];
      assert.equal(type, "BOOKMARK");
      assert.deepEqual(Object.keys(object).sort(), ["apiVersion", "kind", "metadata"]);
      const metadata = object["metadata"] as Record<string, unknown>;
      assert.deepEqual(
        Object.keys(metadata).filter((key) => metadata[key] !== null),
        ["resourceVersion"],
      );
      assert.deepEqual(not.events, []);
      await Promise.all([asked.close(), not.close()]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("Events: a slow reader", () => {
  it("is ended, and never buffered for without bound", async () => {
    const server = await api();
    const at = await server.configMaps();
    const { status, body } = await server.server.handler(inProcessRequest({ method: "GET", url: `${at}?watch=1` }));
    assert.equal(status, 200);
    assert.ok(body !== undefined && isStreamBody(body));
    let queued = 0;
    // A reader that takes nothing, ever.
    const ended = body.stream({
      signal: new AbortController().signal,
      get queuedBytes() {
        return queued;
      },
      chunkBytes: 65_536,
      drained: () => new Promise(() => {}),
      write(chunk) {
        queued += chunk.length;
        return false;
      },
    });
    const big = "x".repeat(900_000);
    await server.created(at, configMap("big", { big }));
    let over = false;
    void ended.then(() => {
      over = true;
    });
    for (let i = 0; i < 60 && !over; i += 1) await server.patch(`${at}/big`, { data: { i: String(i) } });
    await ended;
    assert.ok(queued <= 16 * 1024 * 1024, String(queued));
    // Nobody else is disturbed.
    assert.equal((await server.get(`${at}/big`)).status, 200);
  });
});
