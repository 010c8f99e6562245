// Which revision a list shows, and its chunks. Requirements: document 1, "List and watch semantics", "Chunked lists".

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { nextTurn } from "../base/next-turn.ts";
import { asSlowWork } from "../base/steps.testing.ts";
import { namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { decodeContinue } from "./continue-token.ts";
import { listObjects } from "./list-objects.ts";
import { readListQuery } from "./list-query.ts";
import type { ServedResource } from "./served-resource.ts";
import { failureOf, TestWrites } from "./writes.testing.ts";

const names = namesFor("kubernetes");
const reader = { signal: new AbortController().signal };

let writes: TestWrites;
let configMaps: ServedResource;
/** Tokens hold for a second. */
const ages = {
  givenAtMs: 0,
  hasExpired: (givenAtMs: number) => ages.givenAtMs - givenAtMs > 1_000,
  oldestContinued: 0,
};

beforeEach(() => {
  writes = new TestWrites();
  configMaps = writes.resource("configmaps");
  Object.assign(ages, { givenAtMs: 0, oldestContinued: 0 });
});
afterEach(() => writes.close());

async function list(query: string, namespace = "default") {
  const read = readListQuery(new URLSearchParams(query), {
    names,
    kind: configMaps.kind,
    watch: false,
    watchListEnabled: true,
  });
  return listObjects({ names, ages }, configMaps, namespace, read, reader);
}

const create = async (name: string, labels: Record<string, string> = {}, namespace = "default") => {
  const { object } = await writes.create(configMaps, { metadata: { name, labels } }, { namespace });
  return Number(object.metadata.resourceVersion);
};

const namesIn = ({ items }: { items: readonly { key: string }[] }) => items.map(({ key }) => key.split("/").at(-1));

describe("the revision of a list", () => {
  // Two objects, the second after `first`: what is shown tells which revision was read.
  const rows: [query: (first: number) => string, shown: "first" | "both"][] = [
    [() => "", "both"],
    [() => "resourceVersion=0", "both"],
    [(first) => `resourceVersion=${first}`, "both"],
    [(first) => `resourceVersion=${first}&limit=9`, "first"],
    [() => "limit=9", "both"],
    [() => "resourceVersion=0&limit=9", "both"],
    [(first) => `resourceVersion=${first}&resourceVersionMatch=Exact`, "first"],
    [(first) => `resourceVersion=${first}&resourceVersionMatch=Exact&limit=9`, "first"],
    [() => "resourceVersion=0&resourceVersionMatch=NotOlderThan", "both"],
    [(first) => `resourceVersion=${first}&resourceVersionMatch=NotOlderThan`, "both"],
    [(first) => `resourceVersion=${first}&resourceVersionMatch=NotOlderThan&limit=9`, "both"],
  ];
  it.each(rows.map(([query, shown]) => [query(2), shown, query] as const))(
    "of ?%s shows %s",
    async (_, shown, query) => {
      await configMaps.store!.cache.ready();
      const first = await create("a");
      const second = await create("b");
      const listed = await list(query(first));
      expect(namesIn(listed)).toEqual(shown === "first" ? ["a"] : ["a", "b"]);
      if (shown === "first") expect(listed.revision).toBe(first);
      else expect(listed.revision).toBeGreaterThanOrEqual(second);
    },
  );

  it("that is too new is waited for, not for ever", async () => {
    await configMaps.store!.cache.ready();
    const outcome = failureOf(list("resourceVersion=1000000"));
    await nextTurn();
    await writes.clock.advance(3_000);
    expect(await outcome).toMatchObject({ code: 504 });
  });

  it("that is gone is 410", async () => {
    const first = await create("a");
    const second = await create("b");
    await writes.engine.compact(second);
    const failed = await failureOf(list(`resourceVersion=${first}&resourceVersionMatch=Exact`));
    expect(failed).toMatchObject({ code: 410, reason: "Expired" });
  });

  it("is found in the store when the cache began later", async () => {
    const first = await create("a");
    await create("b");
    const listed = await list(`resourceVersion=${first}&resourceVersionMatch=Exact`);
    expect([namesIn(listed), listed.revision]).toEqual([["a"], first]);
  });
});

it.each([
  ["", [["a", "b"], 1, ["c"]]],
  ["&labelSelector=app%3Dx", [["a", "b"], undefined, ["c"]]],
])("chunks that only the store still has are those of the cache: %s", async (selector, [first, left, rest]) => {
  for (const name of ["a", "b", "c"]) await create(name, { app: "x" });
  const revision = await writes.engine.currentRevision();
  await create("d", { app: "x" });
  const page = await list(`resourceVersion=${revision}&resourceVersionMatch=Exact&limit=2${selector}`);
  expect([namesIn(page), page.remainingItemCount]).toEqual([first, left]);
  const next = await list(`limit=2&continue=${page.continueToken}${selector}`);
  expect([namesIn(next), next.continueToken, next.revision]).toEqual([rest, undefined, revision]);
});

it("of what only the store still has lets others have their turn between its objects", async () => {
  const turnsAt = async (revision: number): Promise<number> => {
    let turns = 0;
    let isOver = false;
    await asSlowWork(4, async () => {
      void list(`resourceVersion=${revision}&resourceVersionMatch=Exact`).finally(() => {
        isOver = true;
      });
      for (; !isOver; turns += 1) await nextTurn();
    });
    return turns;
  };
  const first = await create("a");
  let last = first;
  for (let index = 0; index < 20; index += 1) last = await create(`b${index}`);
  await create("c");
  const few = await turnsAt(first);
  expect(await turnsAt(last)).toBeGreaterThan(few + 10);
});

it.each([
  ["", true],
  ["limit=9", false],
  ["limit=9&labelSelector=app=x", true],
])("where there are very many objects is collected in turns, but for a page of them: %s", async (query, inTurns) => {
  for (const name of ["a", "b", "c"]) await create(name, { app: "x" });
  const { cache } = configMaps.store!;
  await list("");
  vi.spyOn(cache, "hasAtLeast").mockReturnValue(true);
  const snapshot = vi.spyOn(cache, "snapshot");
  expect(namesIn(await list(query))).toEqual(["a", "b", "c"]);
  expect(snapshot).toHaveBeenCalledTimes(inTurns ? 1 : 0);
});

describe("a list", () => {
  beforeEach(async () => {
    await create("a", { app: "x" });
    await create("b", { app: "y" });
    await create("c", { app: "x" });
    await create("a", { app: "x" }, "other");
  });

  it.each([
    ["", "default", ["a", "b", "c"]],
    ["", "", ["a", "b", "c", "a"]],
    ["", "none", []],
    ["labelSelector=app%3Dx", "default", ["a", "c"]],
    ["labelSelector=app%3Dx", "", ["a", "c", "a"]],
    ["labelSelector=app!%3Dx", "default", ["b"]],
    ["fieldSelector=metadata.name%3Da", "default", ["a"]],
    ["fieldSelector=metadata.name%3Da", "", ["a", "a"]],
    ["fieldSelector=metadata.name%3Da&labelSelector=app%3Dy", "default", []],
    ["fieldSelector=metadata.name!%3Da", "default", ["b", "c"]],
  ])("of ?%s in %j", async (query, namespace, expected) => {
    expect(namesIn(await list(query, namespace))).toEqual(expected);
  });

  it("with one damaged object is 500: a part is not the whole", async () => {
    await writes.engine.create(configMaps.store!.keyOf("default", "odd"), Buffer.from("{"));
    expect(await failureOf(list(""))).toMatchObject({ code: 500, reason: "StoreReadError" });
    expect(namesIn(await list("limit=2"))).toEqual(["a", "b"]);
  });
});

describe("a field that only the served version has", () => {
  const dataOf = (object: ApiObject) => (object as { data?: Record<string, string> }).data?.["a"] ?? "";
  const converted = (): ServedResource => ({
    ...configMaps,
    kind: { ...configMaps.kind, selectableFields: { size: (object) => String(dataOf(object).length) } },
    convertsByWebhook: true,
    fromStored: (objects) => objects.map((object) => ({ ...object, data: { a: `${dataOf(object)}x` } })),
  });

  it("is selected by after conversion, for which large objects are read in turns", async () => {
    let turns = 0;
    const resource = converted();
    const caller = { ...reader, goOn: () => (turns += 1) };
    const listed = (selector: string) => {
      const query = readListQuery(new URLSearchParams({ fieldSelector: selector }), {
        names,
        kind: resource.kind,
        watch: false,
        watchListEnabled: true,
      });
      return asSlowWork(4, () => listObjects({ names, ages }, resource, "default", query, caller));
    };
    for (const [name, sizeBytes] of Object.entries({ a: 1, b: 300_000, c: 300_000 })) {
      await writes.create(configMaps, { metadata: { name }, data: { a: "x".repeat(sizeBytes) } });
    }
    expect(namesIn(await listed("size=300001"))).toEqual(["b", "c"]);
    expect(turns).toBeGreaterThan(2);
    expect(namesIn(await listed("size!=300001,metadata.name!=d"))).toEqual(["a"]);
  });
});

describe("chunks", () => {
  beforeEach(async () => {
    await configMaps.store!.cache.ready();
    for (const name of ["a", "b", "c", "d", "e"]) await create(name, { app: name < "d" ? "x" : "y" });
  });

  async function all(query: string) {
    const pages: unknown[] = [];
    const revisions = new Set<number>();
    let token: string | undefined = "";
    do {
      const page = await list(`${query}${token === "" ? "" : `&continue=${token}`}`);
      pages.push([namesIn(page), page.remainingItemCount]);
      revisions.add(page.revision);
      token = page.continueToken;
      // What comes later is not shown.
      await create(`z${pages.length}`);
    } while (token !== undefined);
    return { pages, revisions };
  }

  it("show one state, and count what is left", async () => {
    const { pages, revisions } = await all("limit=2");
    expect(pages).toEqual([
      [["a", "b"], 3],
      [["c", "d"], 1],
      [["e"], undefined],
    ]);
    expect(revisions.size).toBe(1);
  });

  it("count nothing where a selector is", async () => {
    expect((await all("limit=2&labelSelector=app%3Dx")).pages).toEqual([
      [["a", "b"], undefined],
      [["c"], undefined],
    ]);
  });

  it("end with the last object, not after it", async () => {
    expect((await list("limit=5")).continueToken).toBeUndefined();
    expect((await list("limit=4")).continueToken).toBeDefined();
  });

  it("take no version beside a token, except 0", async () => {
    const { continueToken } = await list("limit=2");
    expect(namesIn(await list(`limit=2&continue=${continueToken}&resourceVersion=0`))).toEqual(["c", "d"]);
    expect(await failureOf(list(`limit=2&continue=${continueToken}&resourceVersion=3`))).toMatchObject({ code: 400 });
  });

  it("of an expired token are 410 with a token that goes on at the newest state", async () => {
    const { continueToken } = await list("limit=2");
    await create("bb");
    await create("f");
    ages.oldestContinued = await writes.engine.currentRevision();
    const expired = (await failureOf(list(`limit=2&continue=${continueToken}`))) as {
      code: number;
      continueToken?: string;
    };
    expect(expired.code).toBe(410);
    const fresh = expired.continueToken!;
    expect(decodeContinue(names, fresh).revision).toBe(-1);
    expect(namesIn(await list(`limit=9&continue=${fresh}`))).toEqual(["bb", "c", "d", "e", "f"]);
  });

  it("expire with their token though nothing has been written, but not with one that another program made", async () => {
    const { continueToken } = await list("limit=2");
    ages.givenAtMs = 1_000;
    const { continueToken: later } = await list(`limit=1&continue=${continueToken}`);
    ages.givenAtMs = 1_001;
    expect(await failureOf(list(`limit=2&continue=${continueToken}`))).toMatchObject({ code: 410 });
    expect(namesIn(await list(`limit=2&continue=${later}`))).toEqual(["d", "e"]);
    const { revision, start } = decodeContinue(names, continueToken!);
    const foreign = Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start })).toString("base64url");
    expect(namesIn(await list(`limit=2&continue=${foreign}`))).toEqual(["c", "d"]);
  });

  it("of a token that is none are 400", async () => {
    expect(await failureOf(list("limit=2&continue=x%20y"))).toMatchObject({ code: 400 });
  });
});
