import { describe, expect, it } from "vitest";
import type { CacheItem } from "../../registry/items.ts";
import { ConvertedEvents } from "./converted-events.ts";

const item = (key: string): CacheItem => ({ key, revision: 1, bytes: Buffer.from(key), labels: undefined, fields: {} });
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
      deliver: (type, { key }) => seen.push(`${type} ${key}`),
      fail: (error) => seen.push(String(error)),
    });
    events.push("ADDED", item("a"));
    events.push("MODIFIED", item("a"));
    events.push("DELETED", item("a"));
    expect(events.idle).toBe(false);
    while (!events.idle) await tick();
    expect(seen).toEqual(["ADDED a", "MODIFIED a", "DELETED a"]);
    expect(sizes).toEqual([1, 2]);
  });

  it("end the watch when they cannot be converted", async () => {
    const seen: string[] = [];
    const events = new ConvertedEvents({
      convert: () => Promise.reject(new Error("no")),
      deliver: () => seen.push("delivered"),
      fail: (error) => seen.push((error as Error).message),
    });
    events.push("ADDED", item("a"));
    while (!events.idle) await tick();
    expect(seen).toEqual(["no"]);
  });

  it("are refused when too many wait for a webhook", () => {
    const events = new ConvertedEvents({
      convert: () => new Promise(() => undefined),
      deliver: () => undefined,
      fail: () => undefined,
    });
    let taken = 0;
    while (events.push("ADDED", item("a")) && taken < 5_000) taken += 1;
    expect(taken).toBe(1_001);
  });
});
