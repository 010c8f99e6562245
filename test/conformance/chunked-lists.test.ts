// Document 1, "Chunked lists", "Continue token and watch history", "Collections".

import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, it } from "vitest";
import { serverInProcess } from "../../src/apiserver/server.testing.ts";
import { FakeClock } from "../../src/base/clock.ts";
import { namesFor } from "../../src/meta/names.ts";
import { MemoryEngine } from "../../src/storage/memory-engine.ts";
import { Api, api, type Body, configMap, inBothDialects, namesOf } from "./conformance.testing.ts";

async function filled(server: Api, count: number): Promise<string> {
  const at = await server.configMaps();
  for (let i = 0; i < count; i += 1)
    await server.created(at, configMap(`n${i}`, {}, { labels: { odd: String(i % 2) } }));
  return at;
}

inBothDialects("Chunked lists", (dialect) => {
  it.each(["json", "yaml"])("says of custom resources that nothing more comes (%s)", async (form) => {
    const server = await api(dialect);
    const group = `${form}.example.com`;
    const schema = { openAPIV3Schema: { type: "object" } };
    await server.created(`/apis/${server.names.group("apiextensions")}/v1/customresourcedefinitions`, {
      metadata: { name: `chunks.${group}` },
      spec: {
        group,
        scope: "Cluster",
        names: { plural: "chunks", kind: "Chunk" },
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    });
    const at = `/apis/${group}/v1/chunks`;
    while ((await server.get(at)).status !== 200) await new Promise((resolve) => setImmediate(resolve));
    for (const name of ["a", "b"])
      await server.created(at, { apiVersion: `${group}/v1`, kind: "Chunk", metadata: { name } });
    const headers = { accept: `application/${form}` };
    const words = form === "json" ? '"continue":"' : "continue: ";
    const { text } = await server.get(`${at}?limit=1`, headers);
    assert.match(text, new RegExp(`${words}\\w`));
    for (const query of ["", "?limit=2"]) {
      const whole = await server.get(at + query, headers);
      assert.match(whole.text, form === "json" ? /"continue":""/ : /continue: ""/);
    }
  });

  it("shows one snapshot in all chunks, and counts what remains", async () => {
    const server = await api(dialect);
    const at = await filled(server, 5);
    const first = (await server.get(`${at}?limit=2`)).json;
    assert.equal(first.kind, "ConfigMapList");
    assert.equal(first.metadata.remainingItemCount, 3);
    // What changes now is not shown.
    await server.created(at, configMap("n2a"));
    await server.delete(`${at}/n4`);
    await server.patch(`${at}/n3`, { data: { changed: "yes" } });
    const seen = namesOf(first);
    let page = first;
    while ((page.metadata.continue ?? "") !== "") {
      page = (await server.get(`${at}?limit=2&continue=${page.metadata.continue}`)).json;
      seen.push(...namesOf(page));
      assert.equal(page.metadata.resourceVersion, first.metadata.resourceVersion);
      assert.ok(page.items.every((item: Body) => item.data === undefined));
    }
    assert.deepEqual(seen, ["n0", "n1", "n2", "n3", "n4"]);
    assert.equal(page.metadata.remainingItemCount, undefined);
  });

  it("does not count what a selector leaves", async () => {
    const server = await api(dialect);
    const at = await filled(server, 5);
    for (const selector of ["labelSelector=odd%3D0", "fieldSelector=metadata.name!%3Dx"]) {
      const { metadata } = (await server.get(`${at}?limit=1&${selector}`)).json;
      assert.notEqual(metadata.continue, undefined);
      assert.equal(metadata.remainingItemCount, undefined);
    }
  });

  it.each([
    ["no base64", "%25%25"],
    ["no position", Buffer.from("hello").toString("base64url")],
    ["null", Buffer.from("null").toString("base64url")],
    ["another format", Buffer.from('{"v":"other/v1","rv":5,"start":"a"}').toString("base64url")],
  ])("refuses a token that is not its own: %s", async (_what, token) => {
    const server = await api(dialect);
    const answer = await server.get(`/api/v1/namespaces/default/configmaps?limit=1&continue=${token}`);
    assert.equal(answer.status, 400);
    assert.match(answer.json.message, /^invalid continue token: continue key is not valid/);
  });

  it("promises more wherever the collection has more, whether or not it matches", async () => {
    const server = await api(dialect);
    const at = await server.configMaps();
    await server.created(at, configMap("a", {}, { labels: { x: "y" } }));
    await server.created(at, configMap("b"));
    const { json } = await server.get(`${at}?limit=1&labelSelector=x%3Dy`);
    assert.equal(json.items.length, 1);
    const rest = await server.get(`${at}?limit=1&labelSelector=x%3Dy&continue=${json.metadata.continue}`);
    assert.deepEqual(rest.json.items, []);
  });

  it("refuses a token that leads out of the collection", async () => {
    const server = await api(dialect);
    const outside = { v: `${server.names.group("meta")}/v1`, rv: 5, start: "../secrets/x" };
    const token = Buffer.from(JSON.stringify(outside)).toString("base64url");
    assert.equal((await server.get(`/api/v1/namespaces/default/configmaps?limit=1&continue=${token}`)).status, 400);
  });
});

describe("Continue token and watch history", () => {
  const clock = new FakeClock();
  let old: Api;
  beforeAll(async () => {
    const flags = ["--continue-token-ttl=400ms", "--watch-history-window=400ms", "--etcd-compaction-interval=0"];
    const deps = { clock, engine: new MemoryEngine({ clock }) };
    old = new Api(await serverInProcess({ flags, deps }), namesFor("kubernetes"));
  });
  afterAll(() => old.server.close());

  /** Ages are sampled now and then: asks until the answer is there. */
  async function untilGone(ask: () => Promise<Body>): Promise<Body> {
    for (;;) {
      const answer = await ask();
      if (answer !== undefined) return answer;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  it("answers 410 to an expired token, with a fresh token for the rest", async () => {
    const at = await filled(old, 4);
    const { continue: token } = (await old.get(`${at}?limit=2`)).json.metadata;
    assert.equal((await old.get(`${at}?limit=2&continue=${token}`)).status, 200);
    await old.created(at, configMap("n9"));
    await clock.advance(1_000);
    const gone = await untilGone(async () => {
      await clock.advance(50);
      const answer = await old.get(`${at}?limit=1&continue=${token}`);
      return answer.status === 200 ? undefined : answer;
    });
    assert.equal(gone.status, 410);
    assert.equal(gone.json.reason, "Expired");
    const { continue: fresh, ...rest } = gone.json.metadata;
    assert.deepEqual(rest, {});
    const page = await old.get(`${at}?limit=9&continue=${fresh}`);
    // Inconsistent with the first chunk, as the answer says: what came since is there.
    assert.deepEqual(namesOf(page.json), ["n2", "n3", "n9"]);
  });

  it("ends a watch from a version that is too old with an ERROR event of 410", async () => {
    const at = await filled(old, 2);
    const { resourceVersion } = (await old.get(at)).json.metadata;
    await old.created(at, configMap("n9"));
    const error = await untilGone(async () => {
      await clock.advance(500);
      const watch = await old.watch(`${at}?watch=1&resourceVersion=${resourceVersion}`);
      const [event] = await watch.take(1);
      await watch.close();
      return event!.type === "ERROR" ? event : undefined;
    });
    assert.equal(error.object.code, 410);
    assert.equal(error.object.reason, "Expired");
    assert.match(error.object.message, /^too old resource version: \d+ \(\d+\)$/);
  });
});

describe("Limits: snapshots of the cache", () => {
  it("serves an exact version and its chunks from the store when the cache has let it go", async () => {
    const clock = new FakeClock();
    const deps = { clock, engine: new MemoryEngine({ clock }) };
    const server = new Api(await serverInProcess({ deps }), namesFor("kubernetes"));
    const at = await filled(server, 4);
    const { resourceVersion } = (await server.get(at)).json.metadata;
    await server.delete(`${at}/n1`);
    await clock.advance(80_000);
    await server.created(at, configMap("n9"));
    const exact = `resourceVersionMatch=Exact&resourceVersion=${resourceVersion}`;
    const whole = (await server.get(`${at}?${exact}`)).json;
    assert.deepEqual(namesOf(whole), ["n0", "n1", "n2", "n3"]);
    assert.equal(whole.metadata.resourceVersion, resourceVersion);
    const page = (await server.get(`${at}?limit=1&${exact}`)).json;
    assert.equal(page.metadata.remainingItemCount, 3);
    const rest = (await server.get(`${at}?continue=${page.metadata.continue}`)).json;
    assert.deepEqual(namesOf(rest), ["n1", "n2", "n3"]);
    const selected = (await server.get(`${at}?limit=1&${exact}&labelSelector=odd%3D1`)).json;
    assert.deepEqual(namesOf(selected), ["n1"]);
    assert.notEqual(selected.metadata.continue, undefined);
    assert.equal(selected.metadata.remainingItemCount, undefined);
    await server.server.close();
  });
});
