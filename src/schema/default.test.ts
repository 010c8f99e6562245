import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { equalJson } from "../base/json.ts";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { FEW_KEYS, settleKeys } from "../base/wide-keys.ts";
import { applyDefaults, applyDefaultsInSteps, lacksDefaults } from "./default.ts";
import { schemaFromCrd } from "./from-crd.ts";
import { prune } from "./prune.ts";

const schema = schemaFromCrd({
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        size: { type: "integer", default: 3 },
        note: { type: "string", nullable: true, default: "n" },
        plain: { type: "string" },
        inner: { type: "object", default: {}, properties: { deep: { type: "string", default: "d" } } },
        outer: { type: "object", properties: { deep: { type: "string", default: "d" } } },
        list: { type: "array", items: { type: "object", properties: { port: { type: "integer", default: 80 } } } },
        names: { type: "array", items: { type: "string", default: "x" } },
        untyped: {
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { deep: { type: "string", default: "d" }, plain: { type: "string" } },
          items: { type: "object", properties: { port: { type: "integer", default: 80 } } },
        },
        map: {
          type: "object",
          additionalProperties: { type: "object", properties: { a: { type: "integer", default: 1 } } },
        },
      },
    },
  },
});

function defaulted(value: Record<string, unknown>): Record<string, unknown> {
  const copy = structuredClone(value);
  atOnce(prune(copy, schema));
  applyDefaults(copy, schema);
  return copy;
}

const ALWAYS = { size: 3, note: "n", inner: { deep: "d" } };

describe("defaults", () => {
  const ROWS: [what: string, given: Record<string, unknown>, expected: Record<string, unknown>][] = [
    ["are put where nothing was given", {}, ALWAYS],
    ["are followed into what a default brought", { inner: {} }, ALWAYS],
    ["do not make objects", { outer: undefined }, ALWAYS],
    ["reach into objects that are there", { outer: {} }, { ...ALWAYS, outer: { deep: "d" } }],
    [
      "reach into lists and maps",
      { list: [{}], map: { k: {} } },
      { ...ALWAYS, list: [{ port: 80 }], map: { k: { a: 1 } } },
    ],
    [
      "reach into what is declared without a type",
      { untyped: { plain: null, other: null } },
      { ...ALWAYS, untyped: { deep: "d", other: null } },
    ],
    ["reach into lists that are declared without a type", { untyped: [{}] }, { ...ALWAYS, untyped: [{ port: 80 }] }],
    ["replace null that may not be", { size: null }, ALWAYS],
    ["leave null that may be", { note: null }, { ...ALWAYS, note: null }],
    ["replace null items", { names: [null, "y"] }, { ...ALWAYS, names: ["x", "y"] }],
    ["leave what was given", { size: 0 }, { ...ALWAYS, size: 0 }],
  ];
  it.each(ROWS)("%s", (_what, given, expected) => {
    expect(defaulted({ spec: given })).toEqual({ spec: expected });
  });

  it("null without default that may not be is dropped, but not in lists", () => {
    expect(defaulted({ spec: { plain: null, map: { k: null }, list: [null] } })).toEqual({
      spec: { ...ALWAYS, map: {}, list: [null] },
    });
  });

  it("are copies: changing one object does not change the next", () => {
    const first = defaulted({ spec: {} }) as { spec: { inner: { deep: string } } };
    first.spec.inner.deep = "changed";
    expect(defaulted({ spec: {} })).toEqual({ spec: ALWAYS });
  });

  it("are idempotent, whatever the value", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("spec", "inner", "list", "size"), fc.jsonValue()), (value) => {
        const given = { spec: value, ...value };
        const once = defaulted(given);
        expect(defaulted(once)).toEqual(once);
        expect(lacksDefaults(once, schema)).toBe(false);
        const before = structuredClone(given) as Record<string, unknown>;
        applyDefaults(before, schema);
        expect(lacksDefaults(given, schema)).toBe(!equalJson(before, given));
      }),
    );
  });
});

it("puts a default into a copy of a wide object that takes no further key", () => {
  const wide = Object.fromEntries(Array.from({ length: FEW_KEYS + 1 }, (_, index) => [`k${index}`, index]));
  settleKeys(wide, Object.keys(wide));
  const object = { spec: { outer: wide, list: [wide] } };
  applyDefaults(object, schema);
  expect(object.spec).toMatchObject({ outer: { ...wide, deep: "d" }, list: [{ ...wide, port: 80 }] });
  expect(Object.keys(wide)).toHaveLength(FEW_KEYS + 1);
});

it("reaches every item of a long list, some in each step", () => {
  const items = Array.from({ length: 5_000 }, () => ({ port: undefined as number | undefined }));
  const names = Array.from({ length: 5_000 }, () => null);
  const object = { spec: { list: items, names } };
  expect(counted(applyDefaultsInSteps(object, schema)).steps).toBeGreaterThan(20);
  expect(items.filter(({ port }) => port === 80)).toHaveLength(5_000);
  expect(names.filter((name) => name === "x")).toHaveLength(5_000);
});
