import { describe, expect, it } from "vitest";
import { asSlowWork } from "../../base/steps.testing.ts";
import { nextWorkTurn } from "../../base/work-turns.ts";
import type { CacheEvent, CacheItem, EventType } from "../../registry/items.ts";
import { ConvertedEvents } from "./converted-events.ts";

const item = (key: string): CacheItem => ({ key, revision: 1, bytes: Buffer.from(key), labels: undefined, fields: {} });
const eventOf = (shownAs: (type: EventType) => CacheItem) => ({ shownAs }) as CacheEvent;
const shown = (key: string) => eventOf(() => item(key));
const asText = {
  *encode(type: EventType, { key }: CacheItem) {
    yield;
    return Buffer.from(`${type} ${key}`);
  },
  turn: nextWorkTurn,
};
const textOf = (frame: Uint8Array) => Buffer.from(frame).toString();
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe("events that must be converted", () => {
  it("are delivered in their order, many at a time", async () => {
    const sizes: number[] = [];
    const seen: string[] = [];
    const events = new ConvertedEvents({
      convert: async (items) => {
        sizes.push(items.length);
        await tick();
        return items;
      },
      ...asText,
      deliver: (frame) => seen.push(textOf(frame)),
      fail: (error) => seen.push(String(error)),
    });
    events.push(shown("a"), "ADDED");
    events.push(shown("a"), "MODIFIED");
    events.push(shown("a"), "DELETED");
    expect(events.idle).toBe(false);
    while (!events.idle) await tick();
    expect(seen).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(sizes).toEqual([1, 2]);
  });

  it("are shown as what they are to a watch that selects by fields of the served version", async () => {
    const seen: string[] = [];
    const events = new ConvertedEvents({
      convert: async (items) => items.map((each) => ({ ...each, fields: { host: each.key } })),
      selects: ({ fields }) => fields["host"] === "ours",
      ...asText,
      deliver: (frame) => seen.push(textOf(frame)),
      fail: (error) => seen.push(String(error)),
    });
    const change = (before: string, after: string) => eventOf((type) => item(type === "DELETED" ? before : after));
    events.push(change("", "ours"), "ADDED");
    events.push(change("", "theirs"), "ADDED");
    events.push(change("ours", "ours"), "MODIFIED");
    events.push(change("ours", "theirs"), "MODIFIED");
    events.push(change("theirs", "theirs"), "MODIFIED");
    events.push(change("theirs", "ours"), "MODIFIED");
    events.push(change("ours", ""), "DELETED");
    events.push(change("theirs", ""), "DELETED");
    while (!events.idle) await tick();
    expect(seen).toEqual(["ADDED ours", "MODIFIED ours", "DELETED ours", "ADDED ours", "DELETED ours"]);
  });

  it("are encoded in turns", async () => {
    let turns = 0;
    const seen: string[] = [];
    const events = new ConvertedEvents({
      convert: async (items) => items,
      ...asText,
      turn: () => {
        turns += 1;
        return nextWorkTurn();
      },
      deliver: (frame) => seen.push(textOf(frame)),
      fail: (error) => seen.push(String(error)),
    });
    await asSlowWork(4, async () => {
      for (const key of ["a", "b", "c"]) events.push(shown(key), "ADDED");
      while (!events.idle) await tick();
    });
    expect(seen).toEqual(["ADDED a", "ADDED b", "ADDED c"]);
    expect(turns).toBeGreaterThan(0);
  });

  it("end the watch when they cannot be converted", async () => {
    const seen: string[] = [];
    const events = new ConvertedEvents({
      convert: () => Promise.reject(new Error("no")),
      ...asText,
      deliver: () => seen.push("delivered"),
      fail: (error) => seen.push((error as Error).message),
    });
    events.push(shown("a"), "ADDED");
    while (!events.idle) await tick();
    expect(seen).toEqual(["no"]);
  });

  it("are refused when too many wait for a webhook", () => {
    const events = new ConvertedEvents({
      convert: () => new Promise(() => undefined),
      ...asText,
      deliver: () => undefined,
      fail: () => undefined,
    });
    let taken = 0;
    while (events.push(shown("a"), "ADDED") && taken < 5_000) taken += 1;
    expect(taken).toBe(1_001);
  });

  it("are not converted any more once nobody listens", async () => {
    const seen: string[] = [];
    let asked = 0;
    const events = new ConvertedEvents({
      convert: async (items) => {
        asked += 1;
        await tick();
        return items;
      },
      ...asText,
      deliver: (frame) => seen.push(textOf(frame)),
      fail: (error) => seen.push(String(error)),
    });
    for (let count = 0; count < 250; count += 1) events.push(shown("a"), "ADDED");
    events.end();
    while (!events.idle) await tick();
    expect([asked, seen]).toEqual([1, []]);
  });
});
