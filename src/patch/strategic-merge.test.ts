import { describe, expect, it } from "vitest";
import { cloneJson, type Json, type JsonObject } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { opt, s } from "../schema/builder.ts";
import { applyStrategicMergePatch as applyStrategicMergePatchInSteps } from "./strategic-merge.ts";

const applyStrategicMergePatch = (...input: Parameters<typeof applyStrategicMergePatchInSteps>) =>
  atOnce(applyStrategicMergePatchInSteps(...input));

const port = s.struct("test.v1.Port", () => ({
  port: s.int32(1),
  protocol: opt.string(2),
  name: opt.string(3),
}));

const container = s.struct("test.v1.Container", () => ({
  name: s.string(1),
  image: opt.string(2),
  args: opt.list("string", 3),
  ports: opt.list(port, 4, undefined, { patchStrategy: ["merge"], patchMergeKey: "port" }),
}));

const strategy = s.struct("test.v1.Strategy", () => ({
  type: opt.string(1),
  rollingUpdate: opt.map("string", 2),
}));

const schema = s.struct("test.v1.Thing", () => ({
  labels: opt.map("string", 1),
  finalizers: opt.list("string", 2, undefined, { patchStrategy: ["merge"] }),
  containers: opt.list(container, 3, undefined, { patchStrategy: ["merge"], patchMergeKey: "name" }),
  tolerations: opt.list(container, 4),
  strategy: opt.of(strategy, 5, undefined, { patchStrategy: ["retainKeys"] }),
  whole: opt.of(strategy, 6, undefined, { patchStrategy: ["replace"] }),
}));

const names = (...list: string[]) => list.map((name) => ({ name }));

describe("strategic merge patch", () => {
  it.each<[behaviour: string, original: JsonObject, patch: Json, expected: Json]>([
    [
      "merges maps and removes with null",
      { labels: { a: "1", b: "2" } },
      { labels: { b: null, c: "3" } },
      { labels: { a: "1", c: "3" } },
    ],
    ["ignores nulls for what is not there", {}, { labels: { a: null, b: "1" } }, { labels: { b: "1" } }],
    [
      "replaces lists without a strategy",
      { tolerations: names("a") },
      { tolerations: names("b") },
      { tolerations: names("b") },
    ],
    [
      "merges list elements by key",
      { containers: [{ name: "a", image: "1", args: ["x"] }] },
      { containers: [{ name: "a", image: "2" }, { name: "b" }] },
      { containers: [{ name: "a", image: "2", args: ["x"] }, { name: "b" }] },
    ],
    [
      "merges nested lists by their own key",
      { containers: [{ name: "a", ports: [{ port: 80, name: "w" }] }] },
      { containers: [{ name: "a", ports: [{ port: 81 }, { port: 80, protocol: "UDP" }] }] },
      { containers: [{ name: "a", ports: [{ port: 81 }, { port: 80, name: "w", protocol: "UDP" }] }] },
    ],
    [
      "lets the patch's order win",
      { containers: names("a", "b", "c") },
      { containers: names("c", "a") },
      { containers: names("b", "c", "a") },
    ],
    [
      "adds new elements in front of what the patch does not name",
      { containers: names("a") },
      { containers: names("z") },
      { containers: names("z", "a") },
    ],
    [
      "deletes an element",
      { containers: names("a", "b") },
      { containers: [{ $patch: "delete", name: "a" }] },
      { containers: names("b") },
    ],
    [
      "replaces a list",
      { containers: names("a", "b") },
      { containers: [{ $patch: "replace" }, { name: "z" }] },
      { containers: names("z") },
    ],
    ["replaces a map", { labels: { a: "1" } }, { labels: { $patch: "replace", b: "2" } }, { labels: { b: "2" } }],
    ["empties a map", { strategy: { type: "x" } }, { strategy: { $patch: "delete" } }, { strategy: {} }],
    ["drops a map that is only a directive", {}, { labels: { $patch: "delete" } }, {}],
    [
      "replaces where the schema says so",
      { whole: { type: "x", rollingUpdate: { a: "1" } } },
      { whole: { type: "y" } },
      { whole: { type: "y" } },
    ],
    [
      "keeps only the members named by $retainKeys",
      { strategy: { type: "RollingUpdate", rollingUpdate: { a: "1" } } },
      { strategy: { $retainKeys: ["type"], type: "Recreate" } },
      { strategy: { type: "Recreate" } },
    ],
    [
      "takes other directives beside $retainKeys",
      { finalizers: ["a", "b"], strategy: { type: "x" } },
      {
        $retainKeys: ["finalizers"],
        "$deleteFromPrimitiveList/finalizers": ["a"],
        "$setElementOrder/finalizers": ["b"],
      },
      { finalizers: ["b"] },
    ],
    ["merges lists without elements", { finalizers: [] }, { finalizers: [] }, { finalizers: [] }],
    [
      "deletes nothing from a list without elements",
      { finalizers: [] },
      { "$deleteFromPrimitiveList/finalizers": [] },
      { finalizers: [] },
    ],
    [
      "merges lists of scalars without repeating",
      { finalizers: ["a", "b"] },
      { finalizers: ["b", "c"] },
      { finalizers: ["a", "b", "c"] },
    ],
    [
      "deletes from a list of scalars",
      { finalizers: ["a", "b"] },
      { "$deleteFromPrimitiveList/finalizers": ["a"] },
      { finalizers: ["b"] },
    ],
    ["ignores a deletion from a list that is not there", {}, { "$deleteFromPrimitiveList/finalizers": ["a"] }, {}],
    [
      "sets the order of a list",
      { containers: names("a", "b", "c") },
      { "$setElementOrder/containers": names("c", "x", "a"), containers: [{ name: "x", image: "1" }] },
      { containers: [{ name: "b" }, { name: "c" }, { name: "x", image: "1" }, { name: "a" }] },
    ],
    [
      "sets the order of a list of scalars",
      { finalizers: ["a", "b"] },
      { "$setElementOrder/finalizers": ["b", "a"] },
      { finalizers: ["b", "a"] },
    ],
    [
      "leaves out of a new map what $patch is about, and leaves other directives to those who judge fields",
      {},
      {
        containers: [
          { name: "a", "$setElementOrder/ports": [{ port: 1 }], ports: [{ port: 1 }, { $patch: "delete", port: 2 }] },
        ],
        strategy: { $retainKeys: ["type"], type: "x", rollingUpdate: { $patch: "replace", a: "1" } },
        labels: { $patch: null, a: "1" },
      },
      {
        containers: [{ name: "a", "$setElementOrder/ports": [{ port: 1 }], ports: [{ port: 1 }] }],
        strategy: { $retainKeys: ["type"], type: "x" },
        labels: { a: "1" },
      },
    ],
    [
      "leaves out of a new list with an order what $patch is about",
      {},
      {
        "$setElementOrder/containers": names("b"),
        containers: [{ $patch: "replace" }, { $patch: "delete", name: "a" }, { name: "b", image: null }],
      },
      { containers: [{ name: "b", image: null }] },
    ],
    [
      "takes new elements of a list as they are",
      { containers: names("a") },
      { containers: [{ name: "b", ports: [{ $patch: "replace", port: 1 }] }] },
      { containers: [{ name: "b", ports: [{ $patch: "replace", port: 1 }] }, { name: "a" }] },
    ],
    ["takes the patch where types differ", { labels: { a: "1" } }, { labels: ["x"] }, { labels: ["x"] }],
    [
      "takes __proto__ for an ordinary key",
      { labels: {} },
      JSON.parse('{"labels":{"__proto__":"1"}}'),
      JSON.parse('{"labels":{"__proto__":"1"}}'),
    ],
  ])("%s", (_behaviour, original, patch, expected) => {
    const before = cloneJson([original, patch]);
    expect(applyStrategicMergePatch(original, patch, schema)).toEqual(expected);
    expect([original, patch]).toEqual(before);
  });

  it.each<[why: string, original: JsonObject, patch: Json, message: string]>([
    [
      "an element lacks its key",
      { containers: names("a") },
      { containers: [{ image: "x" }] },
      "map: map[image:x] does not contain declared merge key: name",
    ],
    [
      "the directive is unknown",
      { labels: {} },
      { labels: { $patch: "merge", q: "r" } },
      "unknown patch type: merge in map: map[$patch:merge q:r]",
    ],
    [
      "a list is to be merged by directive",
      { containers: names("a") },
      { containers: [{ $patch: "merge", name: "a" }] },
      "merging lists cannot yet be specified in the patch",
    ],
    [
      "$retainKeys contradicts the patch",
      { strategy: { type: "x" } },
      { strategy: { $retainKeys: ["type"], type: "y", rollingUpdate: {} } },
      "invalid patch format of retainKeys",
    ],
    [
      "$setElementOrder misses an element",
      { containers: names("a") },
      { "$setElementOrder/containers": names("q"), containers: [{ name: "d", image: "x" }] },
      "The order in patch list:\n[map[image:x name:d]]\n doesn't match $setElementOrder list:\n[map[name:q]]\n",
    ],
    ["a deletion names no list", {}, { $deleteFromPrimitiveList: ["a"] }, "invalid patch format of primitive list"],
    ["an order names no list", {}, { $setElementOrder: ["a"] }, "invalid patch format of setElementOrder list"],
    [
      "element types differ",
      { finalizers: ["a"] },
      { finalizers: [1] },
      "list element types are not identical: [[a] [1]]",
    ],
    [
      "the patch is not an object",
      {},
      [],
      "json: cannot unmarshal array into Go value of type map[string]interface {}",
    ],
  ])("answers 400 when %s", (_why, original, patch, message) => {
    expect(() => applyStrategicMergePatch(original, patch, schema)).toThrow(
      expect.objectContaining({ code: 400, message }),
    );
  });

  it("refuses patches that nest too deeply", () => {
    let deep: Json = 1;
    for (let level = 0; level < 20_000; level++) deep = { labels: deep };
    expect(() => applyStrategicMergePatch({}, deep, schema)).toThrow("nest");
  });

  it("merges long lists in one pass", () => {
    const many = names(...Array.from({ length: 20_000 }, (_, index) => `c${index}`));
    const merged = applyStrategicMergePatch({ containers: many }, { containers: [...many].reverse() }, schema);
    expect((merged["containers"] as Json[]).length).toBe(20_000);
  });

  it("puts long lists of scalars into their order in steps", () => {
    const finalizers = Array.from({ length: 1_000 }, (_, index) => `f${index}`);
    const { result, steps } = counted(
      applyStrategicMergePatchInSteps({ finalizers: [...finalizers].reverse() }, { finalizers }, schema),
    );
    expect(result).toEqual({ finalizers });
    expect(steps).toBeGreaterThan(4);
  });

  const many = Array.from({ length: 10_000 }, (_, index) => `k${index}`);
  const others = Array.from({ length: 10_000 }, (_, index) => `o${index}`);
  const wide = (keys: readonly string[], value: Json = "v"): JsonObject =>
    Object.fromEntries(keys.map((key) => [key, value]));
  const long: [string, JsonObject, JsonObject, JsonObject, number][] = [
    [
      "keys that are retained",
      { labels: wide([...many, ...others]) },
      { labels: { $retainKeys: many } },
      { labels: wide(many) },
      150,
    ],
    [
      "a map in place of another",
      { labels: wide(others) },
      { labels: { $patch: "replace", ...wide(many) } },
      { labels: wide(many) },
      130,
    ],
    [
      "orders of no list",
      { labels: {} },
      {
        labels: wide(
          many.map((key) => `$setElementOrder/${key}`),
          [],
        ),
      },
      { labels: {} },
      150,
    ],
    [
      "values that go",
      { finalizers: [...others, ...many] },
      { "$deleteFromPrimitiveList/finalizers": others },
      { finalizers: many },
      100,
    ],
    ["values that come", { finalizers: others }, { finalizers: many }, { finalizers: [...many, ...others] }, 200],
  ];
  it.each(long)("goes through many in steps: %s", (_what, original, patch, merged, least) => {
    const { result, steps } = counted(applyStrategicMergePatchInSteps(original, patch, schema));
    expect(result).toEqual(merged);
    expect(steps).toBeGreaterThan(least);
  });
});
