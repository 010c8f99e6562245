import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cloneJson, isObject } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { FEW_KEYS, keysOf, settleKeys } from "../base/wide-keys.ts";
import type { Props } from "./crd-props.ts";
import { schemaFromCrd } from "./from-crd.ts";
import { prune } from "./prune.ts";

const schema = schemaFromCrd({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        a: { type: "string" },
        list: { type: "array", items: { type: "object", properties: { x: { type: "integer" } } } },
        open: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { closed: { type: "object", properties: { x: { type: "integer" } } } },
        },
        anything: { "x-kubernetes-preserve-unknown-fields": true },
        openList: {
          type: "array",
          "x-kubernetes-preserve-unknown-fields": true,
          items: { type: "object", properties: { x: { type: "object", properties: { y: { type: "integer" } } } } },
        },
        untyped: {
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { x: { type: "object", properties: { y: { type: "integer" } } } },
        },
        map: { type: "object", additionalProperties: { type: "object", properties: { x: { type: "integer" } } } },
        loose: { type: "object", additionalProperties: true },
        template: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          properties: { spec: { type: "object", properties: { x: { type: "integer" } } } },
        },
      },
    },
  },
});

function pruned(text: string): { value: unknown; unknown: string[] } {
  const value = JSON.parse(text) as Record<string, unknown>;
  const unknown = atOnce(prune(value, schema));
  return { value, unknown };
}

describe("pruning", () => {
  const ROWS: [what: string, given: object, kept: object, unknown: string[]][] = [
    ["drops unknown fields", { a: "1", b: 1 }, { a: "1" }, ["spec.b"]],
    ["reaches into lists", { list: [{ x: 1 }, { y: 1 }] }, { list: [{ x: 1 }, {}] }, ["spec.list[1].y"]],
    ["reaches into maps", { map: { k: { x: 1, y: 1 } } }, { map: { k: { x: 1 } } }, ["spec.map.k.y"]],
    [
      "keeps unknown fields where the schema says so, but not in what it specifies",
      { open: { any: { b: 1 }, closed: { x: 1, y: 1 } } },
      { open: { any: { b: 1 }, closed: { x: 1 } } },
      ["spec.open.closed.y"],
    ],
    ["keeps all below a value of any type", { anything: { a: [{ b: 1 }] } }, { anything: { a: [{ b: 1 }] } }, []],
    [
      "keeps unknown fields of the items of a list that says so, but not in what it specifies",
      { openList: [{ a: { b: 1 }, x: { y: 1, z: 1 } }] },
      { openList: [{ a: { b: 1 }, x: { y: 1 } }] },
      ["spec.openList[0].x.z"],
    ],
    [
      "follows what is declared below a value of any type",
      { untyped: { a: { b: 1 }, x: { y: 1, z: 1 } } },
      { untyped: { a: { b: 1 }, x: { y: 1 } } },
      ["spec.untyped.x.z"],
    ],
    [
      "empties values that nothing is said of",
      { loose: { k: { x: 1 }, n: 1 } },
      { loose: { k: {}, n: 1 } },
      ["spec.loose.k.x"],
    ],
    [
      "keeps apiVersion, kind and metadata of embedded resources",
      { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "n" }, spec: { x: 1 }, status: {} } },
      { template: { apiVersion: "v1", kind: "Pod", metadata: { name: "n" }, spec: { x: 1 } } },
      ["spec.template.status"],
    ],
    ["drops what stands where a text should", { a: { b: 1 } }, { a: {} }, ["spec.a.b"]],
  ];
  it.each(ROWS)("%s", (_what, given, kept, unknown) => {
    const result = pruned(JSON.stringify({ spec: given }));
    expect(result).toEqual({ value: { spec: kept }, unknown: unknown.map((path) => `unknown field "${path}"`) });
  });

  it("keeps a null that somebody applied where it is refused, and drops it where it means nothing", () => {
    const value = { spec: { a: null, anything: null, open: { x: null } } };
    expect(atOnce(prune(value, schema, "keepRefused"))).toEqual([]);
    expect(value).toEqual({ spec: { a: null, open: { x: null } } });
  });

  it("keeps apiVersion, kind and metadata of the object itself", () => {
    const text = '{"apiVersion":"a/v1","kind":"K","metadata":{"name":"n","labels":{"a":"b"}},"other":1}';
    expect(pruned(text)).toEqual({
      value: { apiVersion: "a/v1", kind: "K", metadata: { name: "n", labels: { a: "b" } } },
      unknown: ['unknown field "other"'],
    });
  });

  it("treats keys like __proto__ as data", () => {
    const { value, unknown } = pruned(
      '{"spec":{"__proto__":{"a":1},"constructor":1,"map":{"__proto__":{"x":1,"y":2}}}}',
    );
    expect(JSON.stringify(value)).toBe('{"spec":{"map":{"__proto__":{"x":1}}}}');
    expect(unknown).toEqual([
      'unknown field "spec.__proto__"',
      'unknown field "spec.constructor"',
      'unknown field "spec.map.__proto__.y"',
    ]);
  });

  it("is idempotent, whatever the value", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "list", "open", "map", "loose", "template"), fc.jsonValue()),
        (spec) => {
          const { value } = pruned(JSON.stringify({ spec }));
          const again = pruned(JSON.stringify(value));
          expect(again).toEqual({ value, unknown: [] });
        },
      ),
    );
  });
});

/** The rule of pruning, said of the definition's own words: what is kept of a value. Independent of the schema tree. */
function keptBy(
  props: Props | undefined,
  value: unknown,
  open = props?.["x-kubernetes-preserve-unknown-fields"],
): unknown {
  if (Array.isArray(value)) {
    const items = props?.items as Props | undefined;
    // A list that is open hands that on to its items; without items nothing in it is declared.
    if (open && items === undefined) return value;
    return value.map((item) => keptBy(items, item, open || items?.["x-kubernetes-preserve-unknown-fields"]));
  }
  if (!isObject(value)) return value;
  const kept: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    const additional = props?.additionalProperties as Props | undefined;
    const declared = props?.properties?.[key] ?? additional;
    if (declared !== undefined) kept[key] = keptBy(declared, member);
    else if (open) kept[key] = member;
  }
  return kept;
}

const leaf = fc.constant<Props>({ type: "integer" });
const { props: anyProps } = fc.letrec<{ props: Props }>((tie) => {
  const below = fc.option(tie("props"), { nil: undefined, maxDepth: 4 });
  const open = fc.constantFrom({}, { "x-kubernetes-preserve-unknown-fields": true });
  const node = fc
    .record({
      type: fc.constantFrom("object", "array", "none"),
      open,
      a: below,
      b: below,
      additional: below,
      items: below,
    })
    .map(({ type, open, a, b, additional, items }): Props => {
      const properties = { ...(a && { a }), ...(b && { b }) };
      const ofObject = additional && !a && !b ? { additionalProperties: additional } : { properties };
      const ofList = { items: items ?? { type: "integer" } };
      if (type === "object") return { type, ...open, ...ofObject };
      if (type === "array") return { type, ...open, ...ofList };
      return { "x-kubernetes-preserve-unknown-fields": true, ...ofObject, ...(items && ofList) };
    });
  return { props: fc.oneof({ maxDepth: 4 }, leaf, node) };
});
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.constant(1),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3 }),
    fc.array(tie("value"), { maxLength: 2 }),
  ),
}));

describe("pruning by any structural schema", () => {
  it("keeps what is declared and what lies in the open, and nothing else", () => {
    fc.assert(
      fc.property(anyProps, anyValue, (props, value) => {
        const object = cloneJson({ x: value }) as Record<string, unknown>;
        atOnce(prune(object, schemaFromCrd({ type: "object", properties: { x: props } })));
        expect(object).toEqual({ x: keptBy(props, value) });
      }),
      { numRuns: 1000 },
    );
  });
});

it("takes fields out of a wide object for all who walk over it", () => {
  const loose = Object.fromEntries(Array.from({ length: FEW_KEYS + 1 }, (_, index) => [`k${index}`, index]));
  const closed: Record<string, unknown> = { ...loose, a: "b" };
  settleKeys(closed, Object.keys(closed));
  const object = { apiVersion: "v1", kind: "T", metadata: {}, spec: closed };
  atOnce(prune(object, schema));
  expect(keysOf(object.spec)).toEqual(["a"]);
});

it("reports very many fields in steps, in their order", () => {
  const names = Array.from({ length: 3_000 }, (_, index) => `k${9_999 - index}`);
  const walk = counted(prune({ spec: Object.fromEntries(names.map((name) => [name, null])) }, schema));
  expect(walk.result).toEqual(names.reverse().map((name) => `unknown field "spec.${name}"`));
  // To find them takes 7.
  expect(walk.steps).toBeGreaterThan(15);
});

it("reports of very many fields so many, and of long paths the beginning", () => {
  const names = Array.from({ length: 12_000 }, (_, index) => [`k${index}`, 1]);
  const object = { spec: { map: { ["x".repeat(100_000)]: Object.fromEntries(names) } } };
  const unknown = atOnce(prune(object, schema));
  expect(unknown).toHaveLength(10_000);
  expect(new Set(unknown)).toEqual(new Set([`unknown field "spec.map.${"x".repeat(247)}..."`]));
  expect(Object.values(object.spec.map)).toEqual([{}]);
});
