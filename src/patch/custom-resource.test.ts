// Custom resources: markers from their definitions, and none. Document 1, "Merge strategy markers".

import { describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { opt, s } from "../schema/builder.ts";
import { schemaFromCrd, withObjectMeta } from "../schema/from-crd.ts";
import { story } from "./apply-story.testing.ts";

const objectMeta = s.struct("meta.v1.ObjectMeta", () => ({
  name: opt.string(1),
  labels: opt.map("string", 2),
}));

const text = { type: "string" } as const;
const schema = withObjectMeta(
  schemaFromCrd({
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          plain: { type: "array", items: text },
          set: { type: "array", "x-kubernetes-list-type": "set", items: text },
          map: {
            type: "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k", "d"],
            items: { type: "object", properties: { k: text, d: { ...text, default: "x" }, v: text } },
          },
          granular: { type: "object", additionalProperties: text },
          atomicMap: { type: "object", "x-kubernetes-map-type": "atomic", additionalProperties: text },
          atomicStruct: { type: "object", "x-kubernetes-map-type": "atomic", properties: { a: text, b: text } },
          open: { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { known: text } },
          number: { type: "integer" },
        },
      },
    },
  }),
  objectMeta,
);

const untyped = withObjectMeta(
  schemaFromCrd({
    type: "object",
    properties: { spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
  }),
  objectMeta,
);

describe("a custom resource with markers", () => {
  it.each([
    ["merges a set", { set: ["a"] }, { set: ["b"] }, { set: ["a", "b"] }],
    [
      "merges a list by its keys",
      { map: [{ k: "1", v: "a" }] },
      { map: [{ k: "2", d: "x" }] },
      {
        map: [
          { k: "1", v: "a" },
          { k: "2", d: "x" },
        ],
      },
    ],
    [
      "fills key defaults",
      { map: [{ k: "1", v: "a" }] },
      { map: [{ k: "1", d: "x" }] },
      { map: [{ k: "1", d: "x", v: "a" }] },
    ],
    ["merges a map", { granular: { a: "1" } }, { granular: { b: "1" } }, { granular: { a: "1", b: "1" } }],
    [
      "keeps fields beyond the known ones",
      { open: { x: { y: 1 } } },
      { open: { x: { z: 1 } } },
      { open: { x: { y: 1, z: 1 } } },
    ],
  ])("%s", (_behaviour, first, second, expected) => {
    expect(story(schema).apply("a", { spec: first }).apply("b", { spec: second }).body()).toEqual({ spec: expected });
  });

  it.each([
    ["a list without markers", { plain: ["a"] }, { plain: ["b"] }, ".spec.plain"],
    ["an atomic map", { atomicMap: { a: "1" } }, { atomicMap: { b: "1" } }, ".spec.atomicMap"],
    ["an atomic struct", { atomicStruct: { a: "1" } }, { atomicStruct: { b: "1" } }, ".spec.atomicStruct"],
  ])("conflicts as a whole on %s", (_what, first, second, path) => {
    expect(story(schema).apply("a", { spec: first }).apply("b", { spec: second }).conflict).toBe(
      `Apply failed with 1 conflict: conflict with "a": ${path}`,
    );
  });

  it.each([
    [{ bogus: 1 }, ".spec.bogus: field not declared in schema"],
    [{ number: "x" }, ".spec.number: expected numeric (int or float), got string"],
    [{ set: [{}] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
  ])("refuses %j", (spec, message) => {
    expect(() => story(schema).apply("a", { spec } as never)).toThrow(message);
  });

  it("refuses an element that is told apart by a text full of escapes", () => {
    const apply = (text: string) => story(schema).apply("a", { spec: { set: [text] } });
    const message = "element 0: associative list has an element whose key or value is too long";
    for (const mark of ["<", '"', "\n", "\u2028"]) {
      expect(() => apply(`a${mark.repeat(512)}`)).not.toThrow();
      expect(() => apply(`a${mark.repeat(513)}`)).toThrow(message);
    }
    expect(() => apply("a".repeat(100_000))).not.toThrow();
  });

  it("starts from nothing: its creator owns the structs too", () => {
    expect(
      story(schema)
        .update("u", { spec: { number: 1 } })
        .owners(),
    ).toEqual({ "u Update": ".spec .spec.number" });
  });
});

describe("a custom resource without schema details", () => {
  it("has keys as fields and lists as one unit", () => {
    const applied = story(untyped)
      .apply("a", { spec: { a: 1, l: [1] } })
      .apply("b", { spec: { b: 1 } });
    expect(applied.owners()).toEqual({ a: ".spec.a .spec.l", b: ".spec.b" });
    expect(applied.apply("b", { spec: { l: [1, 2] } }).conflict).toBe(
      'Apply failed with 1 conflict: conflict with "a": .spec.l',
    );
  });

  it("is one unit below the depth that ownership looks at", () => {
    const nested = (leaf: JsonObject) => {
      let deep = leaf;
      for (let level = 0; level < 900; level++) deep = { a: deep };
      return { spec: deep };
    };
    const current = story(untyped)
      .update("u", nested({ x: 1 }))
      .apply("a", nested({ x: 1 }));
    expect(current.conflict).toBeUndefined();
    expect(current.apply("b", nested({ y: 1 })).conflict).toContain("Apply failed with 2 conflicts");
    expect(current.force("b", nested({ y: 1 })).body()).toEqual(nested({ y: 1 }));
  });
});
