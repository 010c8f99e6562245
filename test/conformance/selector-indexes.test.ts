// Document 1, "List and watch semantics": a selector finds the same objects whether or not an index leads to them.

import assert from "node:assert/strict";
import { it } from "vitest";
import { api, configMap, inBothDialects, namesOf } from "./conformance.testing.ts";

/** As many as make an index worth its while. */
const COUNT = 300;

inBothDialects("Selectors over many objects", (dialect) => {
  it("find the same the first time, by the index, in pages, and in the initial state of a watch", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    for (let index = 0; index < COUNT; index += 1) {
      const labels = { app: index % 50 === 0 ? "few" : "many" };
      await server.created(at, configMap(`n${String(index).padStart(3, "0")}`, {}, { labels }));
    }
    const few = ["n000", "n050", "n100", "n150", "n200", "n250"];
    const found = async (query: string) => namesOf((await server.get(`${at}?${query}`)).json);
    for (let round = 0; round < 3; round += 1) {
      assert.deepEqual(await found("labelSelector=app%3Dfew"), few);
      assert.deepEqual(await found("labelSelector=app%3Dnone"), []);
      assert.deepEqual(await found("labelSelector=app+in+(few,none)"), few);
      assert.deepEqual(await found("labelSelector=app%3Dfew&fieldSelector=metadata.name%3Dn100"), ["n100"]);
      assert.equal((await found("labelSelector=app%3Dmany")).length, COUNT - few.length);
    }
    const first = (await server.get(`${at}?labelSelector=app%3Dfew&limit=4`)).json;
    const rest = (await server.get(`${at}?labelSelector=app%3Dfew&limit=4&continue=${first.metadata.continue}`)).json;
    assert.deepEqual([...namesOf(first), ...namesOf(rest)], few);

    const watch = await server.watch(`${at}?watch=1&labelSelector=app%3Dfew`);
    assert.deepEqual(
      (await watch.take(few.length)).map(({ type, object }) => `${type} ${object.metadata.name}`),
      few.map((name) => `ADDED ${name}`),
    );
    await server.patch(`${at}/n001`, { metadata: { labels: { app: "few" } } });
    await server.patch(`${at}/n002`, { data: { other: "yes" } });
    await server.patch(`${at}/n050`, { metadata: { labels: { app: "many" } } });
    assert.deepEqual(
      (await watch.take(few.length + 2)).slice(few.length).map(({ type, object }) => `${type} ${object.metadata.name}`),
      ["ADDED n001", "DELETED n050"],
    );
    await watch.close();
    assert.deepEqual(await found("labelSelector=app%3Dfew"), ["n000", "n001", ...few.slice(2)]);
  });
});
