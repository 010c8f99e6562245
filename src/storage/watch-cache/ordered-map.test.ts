import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inScope, OrderedMap } from "./ordered-map.ts";

function mapOf(...keys: string[]): OrderedMap<string> {
  const map = new OrderedMap<string>();
  for (const key of keys) map.set(key, key);
  return map;
}

function keysOf(map: OrderedMap<string>, scope: string, after?: string): string[] {
  const keys: string[] = [];
  map.visit(scope, after, (key) => {
    keys.push(key);
    return true;
  });
  return keys;
}

describe("OrderedMap", () => {
  it("keeps keys in the order of their UTF-8 bytes", () => {
    const unit = fc.constantFrom("a", "/", "0", "\u00e9", "\u4e00", "\ue000", "\uff5e", "\u{1f600}", "\u{10ffff}");
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit, maxLength: 5 })), (names) => {
        const keys = names.map((name) => `/r/${name}`);
        const byBytes = [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(keysOf(mapOf(...keys), "/r/")).toEqual(byBytes);
      }),
    );
  });

  it("visits and counts only what lies within the scope and after the given key", () => {
    const map = mapOf("/r/a/x", "/r/a/y", "/r/a-b/x", "/r/a0", "/r/b/x");
    expect(keysOf(map, "/r/a/")).toEqual(["/r/a/x", "/r/a/y"]);
    expect(keysOf(map, "/r/a/", "/r/a/x")).toEqual(["/r/a/y"]);
    expect(keysOf(map, "/r/a/", "/r/a-b/x")).toEqual(["/r/a/x", "/r/a/y"]);
    expect(keysOf(map, "/r/a/", "/r/b/x")).toEqual([]);
    expect(keysOf(map, "/r/a/x")).toEqual(["/r/a/x"]);
    expect(map.count("/r/")).toBe(5);
    expect(map.count("/r/a/", "/r/a/x")).toBe(1);
    expect(map.count("/r/", "/r/zzz")).toBe(0);
    expect(map.count("/q/")).toBe(0);
    expect(mapOf().count("/r/")).toBe(0);
    expect(mapOf("/r/a/x", "/r/a/y").count("/r/a/")).toBe(2);
  });

  it("says whether a scope has so many keys without a look at more of them", () => {
    const map = mapOf("/r/a/x", "/r/a/y", "/r/b/x");
    const answers = (scope: string) => [0, 1, 2, 3, 4].map((keys) => map.hasAtLeast(scope, keys));
    expect(answers("/r/")).toEqual([true, true, true, true, false]);
    expect(answers("/r/a/")).toEqual([true, true, true, false, false]);
    expect(answers("/r/c/")).toEqual([true, false, false, false, false]);
  });

  it("stops a visit when told to", () => {
    const seen: string[] = [];
    mapOf("/r/a", "/r/b", "/r/c").visit("/r/", undefined, (key) => seen.push(key) < 2);
    expect(seen).toEqual(["/r/a", "/r/b"]);
  });

  it("leaves a clone as it was when the original changes", () => {
    const map = mapOf(...Array.from({ length: 1000 }, (_, index) => `/r/${index}`));
    const before = map.clone();
    map.delete("/r/7");
    map.set("/r/new", "/r/new");
    expect(before.get("/r/7")).toBe("/r/7");
    expect(before.get("/r/new")).toBeUndefined();
    expect([before.size, map.size]).toEqual([1000, 1000]);
  });
});

describe("inScope", () => {
  it.each([
    ["/r/a/x", "/r/", true],
    ["/r/a/x", "/r/a/", true],
    ["/r/ab/x", "/r/a/", false],
    ["/r/a/x", "/r/a/x", true],
    ["/r/a/xy", "/r/a/x", false],
  ])("%s in %s: %s", (key, scope, expected) => {
    expect(inScope(key, scope)).toBe(expected);
  });
});
