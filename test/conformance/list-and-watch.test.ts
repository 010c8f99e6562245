// Document 1, "List and watch semantics", "Resource version rules": every row of the tables, invalid ones included.

import assert from "node:assert/strict";
import { beforeAll, describe, it } from "vitest";
import { type Api, api, type Body, configMap, namesOf } from "./conformance.testing.ts";

/** Three versions of one collection: {a}, {a b}, {a b c}. */
interface Story {
  readonly api: Api;
  readonly at: string;
  readonly versions: readonly string[];
}

let story: Story;
beforeAll(async () => {
  // In the document's own dialect: upstream lists any version whole.
  const server = await api("platform");
  const at = await server.configMaps();
  const versions: string[] = [];
  for (const name of ["a", "b", "c"])
    versions.push((await server.created(at, configMap(name))).metadata.resourceVersion);
  story = { api: server, at, versions };
});

/** `old` and `token` stand for the version of {a b} and a token of the second page at it. */
async function query(text: string): Promise<{ status: number; json: Body }> {
  const { api, at, versions } = story;
  const first = await api.get(`${at}?limit=1&resourceVersion=${versions[1]}`);
  const filled = text.replace("old", versions[1]!).replace("token", first.json.metadata.continue);
  return api.get(`${at}${filled}`);
}

describe("List and watch semantics: get", () => {
  it.each([
    ["unset", ""],
    ["0", "?resourceVersion=0"],
    ["non-zero", "?resourceVersion=old"],
  ])("resourceVersion %s", async (_what, text) => {
    const { api, at, versions } = story;
    const answer = await api.get(`${at}/c${text.replace("old", versions[0]!)}`);
    assert.equal(answer.status, 200);
    assert.equal(answer.json.metadata.resourceVersion, versions[2]);
  });
});

/** The expected names; or the status of a refusal. `at` says which version the list has: new or old. */
const LISTS: readonly [string, string, readonly string[] | number, "new" | "old" | ""][] = [
  ["unset, no limit, unset: most recent", "", ["a", "b", "c"], "new"],
  ["unset, no limit, 0: any", "?resourceVersion=0", ["a", "b", "c"], "new"],
  ["unset, no limit, non-zero: not older", "?resourceVersion=old", ["a", "b", "c"], "new"],
  ["unset, limit, unset: most recent", "?limit=2", ["a", "b"], "new"],
  ["unset, limit, 0: any", "?limit=2&resourceVersion=0", ["a", "b"], "new"],
  ["unset, limit, non-zero: exact", "?limit=9&resourceVersion=old", ["a", "b"], "old"],
  ["unset, token, unset: exact from token", "?limit=9&continue=token", ["b"], "old"],
  ["unset, token, 0: treated as exact from token", "?limit=9&continue=token&resourceVersion=0", ["b"], "old"],
  ["unset, token, non-zero: invalid", "?limit=9&continue=token&resourceVersion=old", 400, ""],
  ["Exact, no limit, unset: invalid", "?resourceVersionMatch=Exact", 422, ""],
  ["Exact, no limit, 0: invalid", "?resourceVersionMatch=Exact&resourceVersion=0", 422, ""],
  ["Exact, no limit, non-zero: exact", "?resourceVersionMatch=Exact&resourceVersion=old", ["a", "b"], "old"],
  ["Exact, limit, unset: invalid", "?limit=1&resourceVersionMatch=Exact", 422, ""],
  ["Exact, limit, 0: invalid", "?limit=1&resourceVersionMatch=Exact&resourceVersion=0", 422, ""],
  ["Exact, limit, non-zero: exact", "?limit=1&resourceVersionMatch=Exact&resourceVersion=old", ["a"], "old"],
  ["NotOlderThan, no limit, unset: invalid", "?resourceVersionMatch=NotOlderThan", 422, ""],
  ["NotOlderThan, no limit, 0: any", "?resourceVersionMatch=NotOlderThan&resourceVersion=0", ["a", "b", "c"], "new"],
  [
    "NotOlderThan, no limit, non-zero",
    "?resourceVersionMatch=NotOlderThan&resourceVersion=old",
    ["a", "b", "c"],
    "new",
  ],
  ["NotOlderThan, limit, unset: invalid", "?limit=1&resourceVersionMatch=NotOlderThan", 422, ""],
  ["NotOlderThan, limit, 0: any", "?limit=1&resourceVersionMatch=NotOlderThan&resourceVersion=0", ["a"], "new"],
  ["NotOlderThan, limit, non-zero", "?limit=1&resourceVersionMatch=NotOlderThan&resourceVersion=old", ["a"], "new"],
  ["match with a token: invalid", "?limit=1&continue=token&resourceVersionMatch=Exact&resourceVersion=old", 422, ""],
  ["unknown match: invalid", "?resourceVersionMatch=Newest&resourceVersion=old", 422, ""],
  ["sendInitialEvents on a list: invalid", "?sendInitialEvents=true", 422, ""],
  ["version that is no number", "?resourceVersion=x", 400, ""],
  ["negative version", "?resourceVersion=-1", 400, ""],
];

describe("List and watch semantics: list", () => {
  it.each(LISTS)("%s", async (_what, text, expected, version) => {
    const answer = await query(text);
    if (typeof expected === "number") {
      assert.equal(answer.status, expected, JSON.stringify(answer.json));
      assert.equal(answer.json.kind, "Status");
      return;
    }
    assert.equal(answer.status, 200, JSON.stringify(answer.json));
    assert.deepEqual(namesOf(answer.json), expected);
    const shown = Number(answer.json.metadata.resourceVersion);
    if (version === "old") assert.equal(shown, Number(story.versions[1]));
    else assert.ok(shown >= Number(story.versions[2]));
  });

  it("shows the version of each item's last change, not that of the list", async () => {
    const { json } = await query("");
    assert.deepEqual(
      json.items.map((item: Body) => item.metadata.resourceVersion),
      story.versions,
    );
  });
});

describe("List and watch semantics: selectors", () => {
  it("selects by labels and fields, and refuses what it does not know", async () => {
    const server = await api();
    const at = await server.configMaps();
    await server.created(at, configMap("a", {}, { labels: { app: "web", tier: "front" } }));
    await server.created(at, configMap("b", {}, { labels: { app: "web" } }));
    await server.created(at, configMap("c", {}, { labels: { app: "db" } }));
    const select = async (text: string) => {
      const answer = await server.get(`${at}?${text}`);
      return answer.status === 200 ? namesOf(answer.json).join("") : answer.status;
    };
    const selector = (text: string) => select(`labelSelector=${encodeURIComponent(text)}`);
    assert.deepEqual(
      await Promise.all(
        [
          "app=web",
          "app==db",
          "app!=web",
          "app in (web,db)",
          "app notin (web)",
          "tier",
          "!tier",
          "app=web,!tier",
          "=",
          "a in",
        ].map(selector),
      ),
      ["ab", "c", "c", "abc", "c", "a", "bc", "b", 400, 400],
    );
    assert.equal(await select("fieldSelector=metadata.name%3Db"), "b");
    assert.equal(await select("fieldSelector=metadata.name!%3Db"), "ac");
    assert.equal(await select("fieldSelector=data.k%3Db"), 400);
    for (const text of ["n>0", "n>-1", "n>99999999999999999999", "n<x"])
      assert.equal(await selector(text), text === "n>0" ? "" : 400, text);
    assert.equal(await select("limit=x"), 400);
    assert.equal(await select("limit="), 400);
    assert.equal(await select("limit=9223372036854775808"), 400);
    assert.equal(await select("limit=x&resourceVersionMatch=Exact"), 400);
    assert.equal(await select("resourceVersion=99999999999999999999"), 400);
    assert.equal(await select("timeoutSeconds=x"), 400);
  });
});

describe("List and watch semantics: watch", () => {
  it.each([
    ["unset: state first", "", ["ADDED a", "ADDED b", "ADDED c"]],
    ["0: state first", "&resourceVersion=0", ["ADDED a", "ADDED b", "ADDED c"]],
    ["non-zero: exactly after that version", "&resourceVersion=old", ["ADDED b", "ADDED c"]],
  ])("resourceVersion %s", async (_what, text, expected) => {
    const server = await api();
    const at = await server.configMaps();
    const { resourceVersion } = (await server.created(at, configMap("a"))).metadata;
    await server.created(at, configMap("b"));
    const watch = await server.watch(`${at}?watch=1${text.replace("old", resourceVersion)}`);
    await watch.take(expected.length - 1);
    await server.created(at, configMap("c"));
    const events = await watch.take(expected.length);
    await watch.close();
    assert.deepEqual(
      events.map(({ type, object }) => `${type} ${object.metadata.name}`),
      expected,
    );
  });

  it.each([
    ["match without sendInitialEvents", "&resourceVersionMatch=NotOlderThan&resourceVersion=old"],
    ["sendInitialEvents without match", "&sendInitialEvents=true"],
    ["sendInitialEvents with Exact", "&sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=old"],
  ])("refuses %s", async (_what, text) => {
    const { api, at, versions } = story;
    const watch = await api.watch(`${at}?watch=1${text.replace("old", versions[1]!)}`);
    await watch.ended;
    assert.equal(watch.status, 422);
  });

  it.each(["watch=1", "watch=true", "watch"])("streams for %s", async (flag) => {
    const { api, at } = story;
    const watch = await api.watch(`${at}?${flag}&fieldSelector=metadata.name%3Da`);
    assert.deepEqual(
      (await watch.take(1)).map(({ type }) => type),
      ["ADDED"],
    );
    await watch.close();
  });

  it.each(["watch=0", "watch=false", "watch=FALSE"])("lists for %s", async (flag) => {
    const { api, at } = story;
    const answer = await api.server.call("GET", `${at}?${flag}`);
    assert.equal((answer.json as Body).kind, "ConfigMapList");
  });

  it("watches one object by its path and by field selector", async () => {
    const { api, at } = story;
    for (const url of [`${at}/b?watch=1`, `${at}?watch=1&fieldSelector=metadata.name%3Db`]) {
      const watch = await api.watch(url);
      await watch.take(1);
      await api.patch(`${at}/a`, { data: { t: url } });
      await api.patch(`${at}/b`, { data: { t: url } });
      const events = await watch.take(2);
      assert.deepEqual(
        events.map(({ type, object }) => [type, object.metadata.name]),
        [
          ["ADDED", "b"],
          ["MODIFIED", "b"],
        ],
      );
      await watch.close();
    }
  });

  it("answers 504 with the cause and Retry-After to a version that does not come; a watch waits and ends in time", async () => {
    const { api, at } = story;
    const asked = ["/c?resourceVersion=99999999", "?resourceVersionMatch=Exact&resourceVersion=99999999"];
    const watching = api.watch(`${at}?watch=1&timeoutSeconds=1&resourceVersion=99999999`);
    const late = api.watch(`${at}?watch=1&timeoutSeconds=1`);
    for (const answer of await Promise.all(asked.map((text) => api.get(`${at}${text}`)))) {
      assert.equal(answer.status, 504);
      assert.equal(answer.json.reason, "Timeout");
      assert.match(answer.json.message, /^Timeout: Too large resource version: 99999999, current: \d+$/);
      assert.deepEqual(answer.json.details, {
        causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
        retryAfterSeconds: 1,
      });
      assert.equal(answer.headers["retry-after"], "1");
    }
    for (const watch of [await watching, await late]) {
      await watch.ended;
      assert.equal(watch.status, 200);
    }
  });
});
