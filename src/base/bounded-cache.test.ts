// The cache with limits: what stays, what leaves, and that it never holds more than it may.

import { describe, expect, it } from "vitest";
import { BoundedCache } from "./bounded-cache.ts";
import { FakeClock } from "./clock.ts";

const keysOf = <V>(cache: BoundedCache<string, V>) => [...cache.entries()].map(([key]) => key).sort();

describe("BoundedCache", () => {
  it("gives back what was kept, and forgets what was deleted", () => {
    const cache = new BoundedCache<string, number>({ maxEntries: 3 });
    cache.set("a", 1);
    cache.set("a", 2);
    expect(cache.get("a")).toBe(2);
    expect(cache.size).toBe(1);
    expect(cache.delete("a")).toBe(true);
    expect(cache.delete("a")).toBe(false);
    expect(cache.get("a")).toBeUndefined();
    cache.set("b", 3);
    cache.clear();
    expect([cache.size, cache.get("b")]).toEqual([0, undefined]);
  });

  it("makes a missing value once", () => {
    const cache = new BoundedCache<string, object>({ maxEntries: 3 });
    const made = cache.getOrMake("a", () => ({}));
    expect(cache.getOrMake("a", () => ({}))).toBe(made);
  });

  it("lets the entry go that was not asked for the longest", () => {
    const cache = new BoundedCache<string, number>({ maxEntries: 3 });
    for (const key of ["a", "b", "c"]) cache.set(key, 1);
    cache.get("a");
    cache.set("d", 1);
    expect(keysOf(cache)).toEqual(["a", "c", "d"]);
  });

  it("stays within its bytes, and does not keep what is larger than all of it", () => {
    const cache = new BoundedCache<string, string>({
      maxEntries: 100,
      maxBytes: 10,
      sizeBytes: (_, value) => value.length,
    });
    cache.set("a", "1234");
    cache.set("b", "1234");
    cache.set("c", "123");
    expect(keysOf(cache)).toEqual(["b", "c"]);
    expect(cache.sizeBytes).toBe(7);
    cache.set("b", "12345678901");
    expect(keysOf(cache)).toEqual(["c"]);
    expect(cache.sizeBytes).toBe(3);
  });

  it("segmented, keeps what was asked for again while a flood of new keys passes", () => {
    const cache = new BoundedCache<string, number>({ maxEntries: 10, eviction: "segmented" });
    for (const key of ["a", "b"]) cache.set(key, 1);
    for (const key of ["a", "b"]) cache.get(key);
    for (let i = 0; i < 1_000; i++) cache.set(`flood-${i}`, i);
    expect([cache.get("a"), cache.get("b"), cache.size]).toEqual([1, 1, 10]);
  });

  it("segmented, lets what was asked for again age out in its turn", () => {
    const cache = new BoundedCache<string, number>({ maxEntries: 5, eviction: "segmented" });
    for (let i = 0; i < 20; i++) {
      cache.set(`key-${i}`, i);
      cache.get(`key-${i}`);
    }
    expect(keysOf(cache)).toEqual(["key-15", "key-16", "key-17", "key-18", "key-19"]);
  });

  it("forgets entries whose time is over", async () => {
    const clock = new FakeClock();
    const cache = new BoundedCache<string, number>({ maxEntries: 5, ttlMs: 1_000, clock });
    cache.set("a", 1);
    cache.set("b", 2, 5_000);
    cache.set("c", 3, 0);
    await clock.advance(999);
    expect(keysOf(cache)).toEqual(["a", "b"]);
    await clock.advance(1);
    expect([cache.get("a"), cache.get("b")]).toEqual([undefined, 2]);
  });

  it("keeps no entry longer because the time of day was set", async () => {
    const clock = new FakeClock();
    const cache = new BoundedCache<string, number>({ maxEntries: 5, ttlMs: 1_000, clock });
    cache.set("a", 1);
    clock.setTimeOfDay(-3_600_000);
    cache.set("b", 2, 5_000);
    await clock.advance(1_000);
    expect([cache.get("a"), cache.get("b")]).toEqual([undefined, 2]);
    clock.setTimeOfDay(3_600_000);
    expect(cache.get("b")).toBeUndefined();
  });

  it("tells of entries that leave on their own, not of those that are taken out", async () => {
    const clock = new FakeClock();
    const left: string[] = [];
    const onEvict = (key: string) => left.push(key);
    const cache = new BoundedCache<string, number>({ maxEntries: 2, ttlMs: 1_000, clock, onEvict });
    for (const key of ["a", "b", "c", "d"]) cache.set(key, 1);
    cache.delete("c");
    await clock.advance(1_000);
    cache.get("d");
    expect(left).toEqual(["a", "b", "d"]);
  });

  it.each(["lru", "segmented"] as const)("%s, agrees with its limits and itself under random use", (eviction) => {
    const cache = new BoundedCache<number, number>({ maxEntries: 20, maxBytes: 300, sizeBytes: (_, v) => v, eviction });
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const lastSet = new Map<number, number>();
    for (let i = 0; i < 3_000; i++) {
      const key = random(40);
      if (random(3) === 0) {
        const value = 1 + random(60);
        cache.set(key, value);
        lastSet.set(key, value);
      } else if (random(10) === 0) {
        cache.delete(key);
        lastSet.delete(key);
      } else {
        expect([undefined, lastSet.get(key)]).toContain(cache.get(key));
      }
      const held = [...cache.entries()];
      expect(cache.size).toBeLessThanOrEqual(20);
      expect(cache.sizeBytes).toBeLessThanOrEqual(300);
      expect([held.length, held.reduce((sum, [, value]) => sum + value, 0)]).toEqual([cache.size, cache.sizeBytes]);
    }
  });

  it("refuses settings that cannot work", () => {
    expect(() => new BoundedCache({ maxEntries: 1, maxBytes: 1 })).toThrow(TypeError);
    expect(() => new BoundedCache({ maxEntries: 1, ttlMs: 1 })).toThrow(TypeError);
    expect(() => new BoundedCache<string, number>({ maxEntries: 1 }).set("a", 1, 1_000)).toThrow(TypeError);
  });
});
