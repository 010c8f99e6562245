// What the merge markers mean to an apply. Document 1, "Merge strategy markers".

import { describe, expect, it } from "vitest";
import { story, thing } from "./apply-story.testing.ts";

const items = (...list: { name: string; [field: string]: string }[]) => ({ spec: { items: list } });

describe("lists, maps and structs", () => {
  it("merges a list by keys, with defaults for missing ones", () => {
    const merged = story(thing)
      .apply("a", { spec: { ports: [{ port: 80, target: 1 }] } })
      .apply("a", { spec: { ports: [{ port: 80, protocol: "TCP", target: 2 }] } });
    expect(merged.body()).toMatchObject({ spec: { ports: [{ port: 80, protocol: "TCP", target: 2 }] } });
    expect(merged.owners()["a"]).toContain('.spec.ports[port=80,protocol="TCP"].target');
  });

  it("keeps elements that differ in one key apart", () => {
    const both = story(thing)
      .apply("a", { spec: { ports: [{ port: 53, protocol: "UDP" }] } })
      .apply("b", { spec: { ports: [{ port: 53 }] } });
    expect(both.body()["spec"]).toEqual({ ports: [{ port: 53, protocol: "UDP" }, { port: 53 }] });
  });

  it("merges sets value by value", () => {
    const both = story(thing)
      .apply("a", { metadata: { finalizers: ["x/a"] } })
      .apply("b", { metadata: { finalizers: ["x/b"] } });
    expect(both.body()["metadata"]).toEqual({ finalizers: ["x/a", "x/b"] });
    expect(both.owners()).toEqual({ a: '.metadata.finalizers[="x/a"]', b: '.metadata.finalizers[="x/b"]' });
  });

  it("reads a merge strategy without key as a set", () => {
    const both = story(thing)
      .apply("a", { spec: { merged: ["1"] } })
      .apply("b", { spec: { merged: ["2"] } });
    expect(both.body()["spec"]).toEqual({ merged: ["1", "2"] });
  });

  it.each([
    ["a list without markers", { spec: { list: ["a"] } }, { spec: { list: ["a", "b"] } }, ".spec.list"],
    ["an atomic map", { spec: { selector: { a: "1" } } }, { spec: { selector: { b: "1" } } }, ".spec.selector"],
    ["raw JSON", { spec: { raw: { a: 1 } } }, { spec: { raw: { b: 1 } } }, ".spec.raw"],
  ])("has one owner for %s", (_what, first, second, path) => {
    const conflicted = story(thing).apply("a", first).apply("b", second);
    expect(conflicted.conflict).toBe(`Apply failed with 1 conflict: conflict with "a": ${path}`);
  });

  it.each([
    ["keeps the order of the live list for what the intent does not name", ["a", "b", "c"], ["b"], ["a", "b", "c"]],
    ["takes the order of the intent", ["a", "b", "c"], ["c", "a"], ["b", "c", "a"]],
    ["appends what is new", ["a", "b"], ["z"], ["a", "b", "z"]],
    ["puts what is new before the shared element that follows it", ["a", "b"], ["z", "b"], ["a", "z", "b"]],
  ])("%s", (_behaviour, live, intent, expected) => {
    const merged = story(thing)
      .apply("a", items(...live.map((name) => ({ name }))))
      .apply("b", items(...intent.map((name) => ({ name }))));
    expect((merged.body()["spec"] as { items: { name: string }[] }).items.map(({ name }) => name)).toEqual(expected);
  });

  it("tells nulls apart from absence, as upstream does", () => {
    const conflicted = story(thing)
      .apply("a", { spec: { replicas: 1 } })
      .apply("b", { spec: { replicas: null } });
    expect(conflicted.conflict).toBe('Apply failed with 1 conflict: conflict with "a": .spec.replicas');
  });

  it("lives with elements that repeat their keys in the stored object", () => {
    const repeated = story(thing).update("u", {
      spec: {
        items: [
          { name: "x", image: "1" },
          { name: "x", image: "2" },
        ],
      },
    });
    expect(repeated.owners()).toEqual({ "u Update": '.spec.items .spec.items[name="x"]' });
    expect(repeated.force("a", items({ name: "x", image: "3" })).body()).toMatchObject(
      items({ name: "x", image: "3" }),
    );
  });
});
