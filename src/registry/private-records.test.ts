// Records of the server beside the API, and the races between servers of one store.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiObject } from "../meta/object.ts";
import { StorageError } from "../storage/storage-error.ts";
import { encodeStored } from "./object-bytes.ts";
import { PrivateRecords, removeStored } from "./private-records.ts";
import { failureOf, START, TestWrites } from "./writes.testing.ts";

const PREFIX = "/registry/ranges/x/";

let writes: TestWrites;
let records: PrivateRecords;
beforeEach(() => {
  writes = new TestWrites();
  records = new PrivateRecords(writes.catalog, PREFIX);
});
afterEach(() => writes.close());

const stored = async (name: string): Promise<ApiObject | undefined> => {
  const entry = await records.store.get(`${PREFIX}${name}`);
  return entry === undefined ? undefined : records.store.decode(entry);
};

describe("a record", () => {
  it("is made once: the second of two who want it is told so", async () => {
    const made = await Promise.all([records.create("80", { of: "one" }), records.create("80", { of: "two" })]);
    const [uid, ...others] = made.filter((each) => each !== undefined);
    expect([typeof uid, others]).toEqual(["string", []]);
    expect(await stored("80")).toMatchObject({ metadata: { name: "80", uid, creationTimestamp: START } });
    expect(await records.names()).toEqual(["80"]);
  });

  it("is put whether it is there or not", async () => {
    await records.put("a", { n: 1 });
    await records.put("a", { n: 2 });
    expect(await stored("a")).toMatchObject({ n: 2 });
  });

  it("is put by several at once, and one of them is the last", async () => {
    await Promise.all([1, 2, 3, 4].map((n) => records.put("a", { n })));
    expect([1, 2, 3, 4]).toContain((await stored("a"))?.["n"]);
    expect(await records.names()).toEqual(["a"]);
  });

  it("is given up when others are always faster", async () => {
    let attempts = 0;
    const update = records.store.update;
    await records.put("a");
    records.store.update = async () => {
      attempts += 1;
      throw new StorageError("RevisionMismatch", "");
    };
    expect(await failureOf(records.put("a"))).toMatchObject({ code: "RevisionMismatch" });
    expect(attempts).toBe(8);
    records.store.update = update;
  });

  it("is removed, and its absence is as good", async () => {
    await records.put("a");
    await records.remove("a");
    await records.remove("a");
    expect(await records.names()).toEqual([]);
  });

  it("stays where it does not fulfil the condition", async () => {
    await records.put("a", { of: "me" });
    await records.remove("a", (record) => record["of"] === "you");
    expect(await records.names()).toEqual(["a"]);
    await records.remove("a", (record) => record["of"] === "me");
    expect(await records.names()).toEqual([]);
  });

  it("vanishes after its time, counted from the last write", async () => {
    const living = new PrivateRecords(writes.catalog, "/registry/living/", 10);
    await living.put("a");
    await writes.clock.advance(6_000);
    await living.put("a");
    await writes.clock.advance(6_000);
    expect(await living.names()).toEqual(["a"]);
    await writes.clock.advance(6_000);
    expect(await living.names()).toEqual([]);
  });
});

it("the condition of a removal is asked again of what another writer left", async () => {
  await records.put("a", { n: 1 });
  const asked: unknown[] = [];
  const key = `${PREFIX}a`;
  const remove = records.store.delete.bind(records.store);
  records.store.delete = async (at, revision, last) => {
    if (asked.length === 1) {
      const entry = (await records.store.get(key))!;
      const other = { ...records.store.decode(entry), n: 2 };
      await records.store.update(key, undefined, encodeStored(other), entry.revision);
    }
    return remove(at, revision, last);
  };
  await removeStored(records.store, key, (record) => {
    asked.push(record["n"]);
    return record["n"] === 1;
  });
  expect(asked).toEqual([1, 2]);
  expect(await records.names()).toEqual(["a"]);
});
