// Document 1, "Streaming initial state".

import assert from "node:assert/strict";
import { it } from "vitest";
import { api, configMap, inBothDialects } from "./conformance.testing.ts";

const STREAM = "watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";

inBothDialects("Streaming initial state", (dialect) => {
  it.each([
    ["unset", () => ""],
    ["empty", () => "&resourceVersion="],
    ["0", () => "&resourceVersion=0"],
    ["a version that is there", (version: string) => `&resourceVersion=${version}`],
  ])("sends the state, an annotated bookmark and then what happens; resourceVersion %s", async (_what, more) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("a"));
    const { resourceVersion } = (await server.created(at, configMap("b"))).metadata;
    const watch = await server.watch(`${at}?${STREAM}${more(resourceVersion)}`);
    await watch.take(3);
    await server.created(at, configMap("c"));
    const [first, second, bookmark, live] = await watch.take(4);
    await watch.close();
    assert.deepEqual(
      [first, second, live].map((event) => `${event!.type} ${event!.object.metadata.name}`),
      ["ADDED a", "ADDED b", "ADDED c"],
    );
    assert.equal(bookmark!.type, "BOOKMARK");
    assert.ok(Number(bookmark!.object.metadata.resourceVersion) >= Number(resourceVersion));
    assert.deepEqual(bookmark!.object.metadata.annotations, { [server.names.initialEventsEndAnnotation]: "true" });
    assert.deepEqual(Object.keys(bookmark!.object).sort(), ["apiVersion", "kind", "metadata"]);
  });

  it("sends the bookmark once the state has caught up with the version asked for", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    const { resourceVersion } = (await server.created(at, configMap("a"))).metadata;
    const next = Number(resourceVersion) + 1;
    const opening = server.watch(`${at}?${STREAM}&resourceVersion=${next}`);
    await server.created(at, configMap("b"));
    const watch = await opening;
    const events = await watch.take(3);
    await watch.close();
    assert.deepEqual(
      events.map(({ type }) => type),
      ["ADDED", "ADDED", "BOOKMARK"],
    );
    assert.ok(Number(events[2]!.object.metadata.resourceVersion) >= next);
  });

  it.each([
    ["watch=1&allowWatchBookmarks=true", ["ADDED", "BOOKMARK", "ADDED"]],
    ["watch=1&allowWatchBookmarks=true&resourceVersion=0", ["ADDED", "BOOKMARK", "ADDED"]],
    ["watch=1", ["ADDED", "ADDED"]],
  ])("marks the end of a state that comes by itself where bookmarks are wanted: %s", async (query, types) => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("a"));
    const watch = await server.watch(`${at}?${query}`);
    await watch.take(types.length - 1);
    await server.created(at, configMap("b"));
    const events = await watch.take(types.length);
    await watch.close();
    assert.deepEqual(
      events.map(({ type }) => type),
      types,
    );
  });

  it("ends at once with a time that is over already", async () => {
    const server = await api(dialect);
    const answer = await server.get(`${await server.configMaps()}?watch=1&timeoutSeconds=-1`);
    assert.equal(answer.status, 200);
  });

  it("sends no bookmark to whom did not ask for bookmarks, and no state to whom did not ask for it", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("a"));
    const match = "resourceVersionMatch=NotOlderThan";
    const unmarked = await server.watch(`${at}?watch=1&sendInitialEvents=true&${match}`);
    const stateless = await server.watch(`${at}?watch=1&sendInitialEvents=false&${match}&allowWatchBookmarks=true`);
    await unmarked.take(1);
    await server.created(at, configMap("b"));
    assert.deepEqual(
      (await unmarked.take(2)).map(({ type, object }) => `${type} ${object.metadata.name}`),
      ["ADDED a", "ADDED b"],
    );
    assert.deepEqual(
      (await stateless.take(1)).map(({ object }) => object.metadata.name),
      ["b"],
    );
    await Promise.all([unmarked.close(), stateless.close()]);
  });
});
