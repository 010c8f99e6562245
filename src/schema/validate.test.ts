import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { fieldErrorText } from "../meta/field-error.ts";
import type { Props } from "./crd-props.ts";
import { schemaFromCrd } from "./from-crd.ts";
import { validateListTypes, validateListTypesInSteps } from "./list-types.ts";
import { validateValueInSteps } from "./validate.ts";

const object = (properties: Record<string, Props>, extra: Props = {}): Props => ({
  type: "object",
  properties,
  ...extra,
});

function findings(spec: Props, value: unknown, old?: unknown): string[] {
  const schema = schemaFromCrd(object({ spec }));
  const options = old === undefined ? {} : { old: { spec: old } };
  return atOnce(validateValueInSteps({ spec: value }, schema, options)).map(fieldErrorText);
}

describe("validation of values", () => {
  const ROWS: [spec: Props, value: unknown, findings: string[]][] = [
    [{ type: "integer" }, "x", ['spec: Invalid value: "string": spec in body must be of type integer: "string"']],
    [{ type: "integer" }, 1.5, ['spec: Invalid value: "number": spec in body must be of type integer: "number"']],
    [{ type: "integer" }, 2n ** 60n, []],
    [{ type: "number" }, 1, []],
    [{ type: "string" }, null, ['spec: Invalid value: "null": spec in body must be of type string: "null"']],
    [{ type: "string", nullable: true }, null, []],
    [
      { type: "integer", format: "int32" },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer: "boolean"'],
    ],
    [{ type: "integer" }, 1e21, ['spec: Invalid value: "number": spec in body must be of type integer: "number"']],
    [
      { type: "number", maximum: 10_000_000, multipleOf: 0.5 },
      20_000_000.25,
      [
        "spec: Invalid value: 2.000000025e+07: spec in body should be a multiple of 0.5",
        "spec: Invalid value: 2.000000025e+07: spec in body should be less than or equal to 1e+07",
      ],
    ],
    [
      { type: "number", maximum: 2.5 },
      1e20,
      ["spec: Invalid value: 1e+20: spec in body should be less than or equal to 2.5"],
    ],
    [
      { type: "number", maximum: 10_000_000 },
      20_000_000,
      ["spec: Invalid value: 20000000: spec in body should be less than or equal to 10000000"],
    ],
    [{ type: "string", maxLength: 1 }, "ab", ["spec: Too long: may not be more than 1 byte"]],
    [{ "x-kubernetes-int-or-string": true }, "80", []],
    [
      { "x-kubernetes-int-or-string": true },
      true,
      ['spec: Invalid value: "boolean": spec in body must be of type integer,string: "boolean"'],
    ],
    // What is declared without a type holds where the value has the form for it.
    [
      {
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { a: { type: "string" } },
        items: { type: "integer" },
      },
      { a: 1, b: 1 },
      ['spec.a: Invalid value: "integer": spec.a in body must be of type string: "integer"'],
    ],
    [
      {
        "x-kubernetes-preserve-unknown-fields": true,
        properties: { a: { type: "string" } },
        items: { type: "integer" },
      },
      ["x"],
      ['spec[0]: Invalid value: "string": spec[0] in body must be of type integer: "string"'],
    ],
    [
      object({ a: { type: "string" } }, { required: ["a", "b"] }),
      {},
      ["spec.a: Required value", "spec.b: Required value"],
    ],
    [{ type: "string", enum: ["a", "b"] }, "c", ['spec: Unsupported value: "c": supported values: "a", "b"']],
    [{ type: "integer", enum: [1, 2] }, 3, ['spec: Unsupported value: 3: supported values: "1", "2"']],
    [{ type: "string", maxLength: 2 }, "abc", ["spec: Too long: may not be more than 2 bytes"]],
    [{ type: "string", maxLength: 2 }, "\u{1f600}\u{1f600}", []],
    [{ type: "string", minLength: 2 }, "a", ['spec: Invalid value: "a": spec in body should be at least 2 chars long']],
    [{ type: "string", pattern: "^a+$" }, "b", [`spec: Invalid value: "b": spec in body should match '^a+$'`]],
    [
      { type: "string", pattern: "(?i)^a+$" },
      "a".repeat(300_000),
      [
        `spec: Invalid value: "${"a".repeat(256)}...": spec in body is too long for '(?i)^a+$': more than 262144 characters`,
      ],
    ],
    [{ type: "integer", minimum: 1 }, 0, ["spec: Invalid value: 0: spec in body should be greater than or equal to 1"]],
    [
      { type: "integer", minimum: 1, exclusiveMinimum: true },
      1,
      ["spec: Invalid value: 1: spec in body should be greater than 1"],
    ],
    [
      { type: "number", maximum: 0.5 },
      1.5,
      ["spec: Invalid value: 1.5: spec in body should be less than or equal to 0.5"],
    ],
    [{ type: "integer", multipleOf: 3 }, 4, ["spec: Invalid value: 4: spec in body should be a multiple of 3"]],
    [
      { type: "array", items: { type: "integer" }, minItems: 1 },
      [],
      ["spec: Invalid value: 0: spec in body should have at least 1 items"],
    ],
    [
      { type: "array", items: { type: "integer" }, maxItems: 1 },
      [1, 2],
      ["spec: Too many: 2: must have at most 1 item"],
    ],
    [
      { type: "array", items: { type: "integer" } },
      [1, "a"],
      ['spec[1]: Invalid value: "string": spec[1] in body must be of type integer: "string"'],
    ],
    [
      { type: "object", additionalProperties: { type: "integer" }, maxProperties: 1 },
      { a: 1, b: 2 },
      ["spec: Too many: 2: must have at most 1 item"],
    ],
    [
      { type: "object", additionalProperties: { type: "integer" } },
      { a: "x" },
      ['spec.a: Invalid value: "string": spec.a in body must be of type integer: "string"'],
    ],
    [
      { type: "integer", anyOf: [{ minimum: 5 }, { maximum: 1 }] },
      3,
      [
        '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)',
        "spec: Invalid value: 3: spec in body should be greater than or equal to 5",
      ],
    ],
    [
      { type: "integer", oneOf: [{ minimum: 1 }, { maximum: 5 }] },
      3,
      ['<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives'],
    ],
    [
      { type: "integer", allOf: [{ minimum: 5 }, { maximum: 5 }] },
      3,
      [
        "spec: Invalid value: 3: spec in body should be greater than or equal to 5",
        '<nil>: Invalid value: "": "spec" must validate all the schemas (allOf)',
      ],
    ],
    [
      { type: "integer", not: { minimum: 1 } },
      3,
      ['<nil>: Invalid value: "": "spec" must not validate the schema (not)'],
    ],
    [
      object({ a: { type: "string" } }, { anyOf: [{ required: ["a"] }] }),
      {},
      ['<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)', "spec.a: Required value"],
    ],
    [{ type: "string", format: "ipv4" }, "x", ['spec: Invalid value: "x": spec in body must be of type ipv4: "x"']],
    [{ type: "string", format: "no-such-format" }, "x", []],
  ];
  it.each(ROWS)("%j", (spec, value, expected) => {
    expect(findings(spec, value)).toEqual(expected);
  });

  it("the keys of a map that is looked at alone have a dot before them in messages", () => {
    const schema = schemaFromCrd(object({}, { additionalProperties: { type: "integer" } }));
    const errors = atOnce(validateValueInSteps({ q: "x" }, schema, { at: "status" })).map(fieldErrorText);
    expect(errors).toEqual(['status.q: Invalid value: "string": .q in body must be of type integer: "string"']);
  });

  it("a pattern that would take other engines for ever is decided at once", () => {
    expect(findings({ type: "string", pattern: "^(a+)+$" }, `${"a".repeat(50_000)}!`)).toHaveLength(1);
  });

  it("hostile keys are data", () => {
    const schema = schemaFromCrd(object({ spec: object({}, { required: ["__proto__", "constructor"] }) }));
    const errors = atOnce(validateValueInSteps(JSON.parse('{"spec":{"__proto__":1}}'), schema)).map(fieldErrorText);
    expect(errors).toEqual(["spec.constructor: Required value"]);
  });

  it("takes bounds that are integers beyond what doubles hold exactly", () => {
    const wide: Props = { type: "integer", minimum: -(2n ** 63n), maximum: 2n ** 63n - 1n };
    expect(findings(wide, 2n ** 62n)).toEqual([]);
    expect(findings({ anyOf: [wide], type: "integer" }, -5)).toEqual([]);
    expect(findings({ type: "integer", maximum: 2n ** 60n }, 2n ** 61n)).toHaveLength(1);
    expect(findings({ type: "number", multipleOf: 2n ** 55n }, 2 ** 56)).toEqual([]);
  });

  it("names values beyond 2^53 that would be right", () => {
    expect(findings({ type: "integer", enum: [2n ** 60n] }, 2n ** 60n)).toEqual([]);
    expect(findings({ type: "integer", enum: [2n ** 60n] }, 3)).toEqual([
      'spec: Unsupported value: 3: supported values: "1152921504606846976"',
    ]);
  });
});

describe("ratcheting", () => {
  const short: Props = { type: "string", maxLength: 2 };

  it("tolerates what was wrong before and did not change", () => {
    expect(findings(object({ a: short, b: short }), { a: "long", b: "x" }, { a: "long" })).toEqual([]);
    expect(findings(object({ a: short, b: short }), { a: "long", b: "long" }, { a: "long" })).toEqual([
      "spec.b: Too long: may not be more than 2 bytes",
    ]);
  });

  it("judges alternatives by all that they are about, changed or not", () => {
    const says = (word: string): Props => ({ properties: { kind: { enum: [word] } } });
    const either = object({ kind: { type: "string" }, size: { type: "integer" } }, { oneOf: [says("a"), says("b")] });
    expect(findings(either, { kind: "a", size: 2 }, { kind: "a", size: 1 })).toEqual([]);
    const any = { ...either, oneOf: [], anyOf: [says("b"), says("c")] };
    const wrong = '<nil>: Invalid value: "": "spec" must validate at least one schema (anyOf)';
    expect(findings(any, { kind: "a", size: 2 }, { kind: "a", size: 1 })).toContain(wrong);
    expect(findings(any, { kind: "a", size: 1 }, { kind: "a", size: 1 })).toEqual([]);
  });

  it("finds the items of map lists again by their keys", () => {
    const list: Props = {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: object({ k: { type: "string" }, v: short }),
    };
    const old = [
      { k: "a", v: "long" },
      { k: "b", v: "x" },
    ];
    expect(
      findings(
        list,
        [
          { k: "b", v: "y" },
          { k: "a", v: "long" },
        ],
        old,
      ),
    ).toEqual([]);
    expect(
      findings(
        { ...list, "x-kubernetes-list-type": "atomic" },
        [
          { k: "b", v: "y" },
          { k: "a", v: "long" },
        ],
        old,
      ),
    ).toEqual(["spec[1].v: Too long: may not be more than 2 bytes"]);
  });
});

describe("sets and maps", () => {
  const schema = schemaFromCrd(
    object({
      set: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
      map: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["p", "q"],
        items: object({ p: { type: "integer" }, q: { type: "string" } }),
      },
    }),
  );
  const ROWS: [value: unknown, findings: string[]][] = [
    [{ set: ["a", "b"], map: [{ p: 1 }, { p: 1, q: "" }] }, []],
    [{ set: ["a", "b", "a", "a"] }, ['set[2]: Duplicate value: "a"']],
    [
      {
        map: [
          { p: 1, q: "x", z: 1 },
          { p: 1, q: "x" },
        ],
      },
      ['map[1]: Duplicate value: {"p":1,"q":"x"}'],
    ],
    [{ map: [1] }, ["map[0]: Invalid value: 1: must be an object for an array of list-type map"]],
  ];
  it.each(ROWS)("%j", (value, expected) => {
    expect(validateListTypes(value, schema).map(fieldErrorText)).toEqual(expected);
  });
});

describe("large values", () => {
  const text: Props = { type: "string", pattern: "^w" };
  const item = object({ name: text }, { anyOf: [{ required: ["name"] }] });
  const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`);
  const ROWS: [form: string, spec: Props, value: unknown][] = [
    ["texts of a set", { type: "array", "x-kubernetes-list-type": "set", items: text }, words],
    ["members of a map", { type: "object", additionalProperties: text }, Object.fromEntries(words.entries())],
    [
      "items of a map list",
      { type: "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], items: item },
      words.map((name) => ({ name })),
    ],
    ["items of lists", { type: "array", items: { type: "array", items: text } }, words.map((word) => [word])],
    ["items that must differ", { type: "array", uniqueItems: true, items: { type: "string" } }, words],
  ];

  it.each(ROWS)("are judged in steps: %s", (_, spec, value) => {
    const schema = schemaFromCrd(object({ spec }));
    expect([...validateValueInSteps({ spec: value }, schema)].length).toBeGreaterThanOrEqual(4);
    if (spec["x-kubernetes-list-type"] === undefined) return;
    expect([...validateListTypesInSteps({ spec: value }, schema)].length).toBeGreaterThanOrEqual(2);
  });
});
