import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { fieldErrorText } from "../meta/field-error.ts";
import type { Props } from "./crd-props.ts";
import { schemaFromCrd } from "./from-crd.ts";
import { evaluateRules, ruleTreeOf } from "./rule-evaluation.ts";

const integer = (...rules: Record<string, unknown>[]): Props =>
  ({ type: "integer", "x-kubernetes-validations": rules }) as Props;
const object = (properties: Record<string, unknown>, ...rules: Record<string, unknown>[]): Props =>
  ({ type: "object", properties, "x-kubernetes-validations": rules }) as unknown as Props;

function run(props: Props, value: unknown, old?: unknown) {
  const tree = atOnce(ruleTreeOf(schemaFromCrd(props), { namespace: "kubernetes" }));
  if (tree === undefined) throw new Error("no rules");
  const { errors, warnings } = atOnce(evaluateRules(value, tree, old === undefined ? {} : { old }));
  return { errors: errors.map(fieldErrorText), types: errors.map(({ type }) => type), warnings };
}

describe("rules over an object", () => {
  it("of many items let others have their turn between them", () => {
    const props = object({ l: { type: "array", items: integer({ rule: "self >= 0" }) } });
    const tree = atOnce(ruleTreeOf(schemaFromCrd(props), { namespace: "kubernetes" }));
    const l = Array.from({ length: 3_000 }, (_, index) => index);
    const work = evaluateRules({ l }, tree!, { old: { l: [...l, -1] } });
    let steps = 1;
    for (; work.next().done !== true; ) steps++;
    expect(steps).toBeGreaterThan(4);
  });

  it("of which one goes over a large value let others have their turn meanwhile", () => {
    const rule = "self.l.all(x, self.l.exists(y, y == x))";
    const props = object(
      { l: { type: "array", items: { type: "integer" } } },
      { rule, messageExpression: "string(self.l.filter(x, x > 400).size()) + ' too many'" },
    );
    const tree = atOnce(ruleTreeOf(schemaFromCrd(props), { namespace: "kubernetes" }));
    const l = Array.from({ length: 600 }, (_, index) => index);
    const work = evaluateRules({ l }, tree!);
    let steps = 0;
    for (;;) {
      const step = work.next();
      if (step.done === true) {
        expect(step.value.errors.map(fieldErrorText)).toEqual([expect.stringContaining("call cost exceeds limit")]);
        break;
      }
      steps += 1;
    }
    expect(steps).toBeGreaterThanOrEqual(2);
  });

  it.each<[Props, unknown, string]>([
    [integer({ rule: "self > 0" }), ["a"], "expected int, got []interface {}"],
    [integer({ rule: "self > 0" }), 1.5, "expected int, got float64"],
    [object({}, { rule: "self == self" }), 1, "expected a map for the provided schema with type=object"],
    [
      { type: "array", items: { type: "string" }, "x-kubernetes-validations": [{ rule: "self == self" }] },
      {},
      "expected an array for the provided schema with type=array",
    ],
    [
      { "x-kubernetes-int-or-string": true, "x-kubernetes-validations": [{ rule: "self == 1" }] },
      true,
      "expected XIntOrString value to be either a string or integer",
    ],
    [{ type: "boolean", "x-kubernetes-validations": [{ rule: "self" }] }, "x", "expected bool, got string"],
  ])("cannot read what had been stored before the schema: %j", (props, value, detail) => {
    const [error] = run(object({ a: props }), { a: value, b: 1 }, { a: value }).errors;
    expect(error).toContain(`invalid data, ${detail} evaluating rule: `);
  });

  it.each<[string, Props, unknown, string[]]>([
    ["that hold say nothing", object({ a: integer({ rule: "self > 0" }) }), { a: 1 }, []],
    [
      "quote themselves",
      object({ a: integer({ rule: "self > 0" }) }),
      { a: 0 },
      ['a: Invalid value: "integer": failed rule: self > 0'],
    ],
    [
      "say their message",
      object({ a: integer({ rule: "self > 0", message: " positive " }) }),
      { a: 0 },
      ['a: Invalid value: "integer": positive'],
    ],
    [
      "at the root have no path",
      object({}, { rule: "self.metadata.name != 'x'" }),
      { metadata: { name: "x" } },
      [`<nil>: Invalid value: "object": failed rule: self.metadata.name != 'x'`],
    ],
    [
      "on items name their index",
      object({ l: { type: "array", items: integer({ rule: "self > 0" }) } }),
      { l: [1, 0] },
      ['l[1]: Invalid value: "integer": failed rule: self > 0'],
    ],
    [
      "on values name their key",
      object({ m: { type: "object", additionalProperties: integer({ rule: "self > 0" }) } }),
      { m: { k: 0 } },
      ['m[k]: Invalid value: "integer": failed rule: self > 0'],
    ],
    ["are not asked about null", object({ a: { ...integer({ rule: "self > 0" }), nullable: true } }), { a: null }, []],
    [
      "that fail are told with their type",
      object({ a: integer({ rule: "10 / self == 1" }) }),
      { a: 0 },
      ['a: Invalid value: "integer": division by zero evaluating rule: 10 / self == 1'],
    ],
    [
      "point where fieldPath says",
      object({ o: object({ "b.c": { type: "integer" } }, { rule: "false", fieldPath: "['b.c']", message: "m" }) }),
      { o: {} },
      ['o.b.c: Invalid value: "object": m'],
    ],
  ])("%s", (_what, props, value, errors) => {
    expect(run(props, value).errors).toEqual(errors);
  });

  it.each<[string, string, string]>([
    ["FieldValueForbidden", "FieldValueForbidden", "a: Forbidden: m"],
    ["FieldValueRequired", "FieldValueRequired", "a: Required value: m"],
    ["FieldValueDuplicate", "FieldValueDuplicate", 'a: Duplicate value: "integer"'],
    ["FieldValueInvalid", "FieldValueInvalid", 'a: Invalid value: "integer": m'],
  ])("may give the reason %s", (reason, type, text) => {
    const found = run(object({ a: integer({ rule: "false", message: "m", reason }) }), { a: 0 });
    expect([found.types, found.errors]).toEqual([[type], [text]]);
  });

  it.each<[string, string, string]>([
    ["a text", "'got ' + string(self)", "got 0"],
    ["nothing", "''", "fallback"],
    ["several lines", "'a\\nb'", "fallback"],
    ["an error", "string(1 / self)", "fallback"],
    [
      "too much",
      "'x'.replace('x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy').split('').map(c, 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy').join()",
      "fallback",
    ],
  ])("whose messageExpression gives %s", (_what, messageExpression, shown) => {
    const rule = { rule: "false", message: "fallback", messageExpression };
    expect(run(object({ a: integer(rule) }), { a: 0 }).errors).toEqual([`a: Invalid value: "integer": ${shown}`]);
  });
});

describe("rules over a change", () => {
  const grows = { rule: "self >= oldSelf" };

  it.each<[string, Props, unknown, unknown, number]>([
    ["compare with the old value", object({ a: integer(grows) }), { a: 1 }, { a: 2 }, 1],
    ["do not run where there was none", object({ a: integer(grows) }), { a: 1 }, {}, 0],
    [
      "find items of a list by their keys",
      object({
        l: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: object({ k: { type: "string" }, v: integer(grows) }),
        },
      }),
      {
        l: [
          { k: "b", v: 1 },
          { k: "a", v: 5 },
        ],
      },
      {
        l: [
          { k: "a", v: 1 },
          { k: "b", v: 2 },
        ],
      },
      1,
    ],
    [
      "run without an old value when it is optional",
      object({
        a: integer({ rule: "oldSelf.hasValue() ? self == oldSelf.value() : self < 10", optionalOldSelf: true }),
      }),
      { a: 50 },
      undefined,
      1,
    ],
    [
      "see the old value when it is optional",
      object({
        a: integer({ rule: "oldSelf.hasValue() ? self == oldSelf.value() : self < 10", optionalOldSelf: true }),
      }),
      { a: 6 },
      { a: 5 },
      1,
    ],
  ])("%s", (_what, props, value, old, count) => {
    expect(run(props, value, old).errors).toHaveLength(count);
  });

  it("only warn about what had not changed", () => {
    const props = object({ a: integer({ rule: "self > 0" }), b: { type: "integer" } });
    expect(run(props, { a: 0, b: 2 }, { a: 0, b: 1 })).toMatchObject({
      errors: [],
      warnings: ['a: Invalid value: "integer": failed rule: self > 0'],
    });
    expect(run(props, { a: 0 }, { a: -1 }).errors).toHaveLength(1);
  });

  it("always judge rules with oldSelf", () => {
    expect(run(object({ a: integer({ rule: "self != oldSelf" }) }), { a: 1 }, { a: 1 }).errors).toHaveLength(1);
  });
});

describe("budgets", () => {
  const heavy = { rule: "self.all(x, self.all(y, x == y || x != y))" };
  const numbers = Array.from({ length: 300 }, (_, i) => i);

  it("stop one rule that costs too much, and all after it", () => {
    const long = Array.from({ length: 2_000 }, (_, i) => i);
    const list = { type: "array", items: { type: "integer" }, "x-kubernetes-validations": [heavy] };
    const { errors } = run(object({ a: list, b: integer({ rule: "false" }) }), { a: long, b: 1 });
    expect(errors).toEqual([
      `a: Invalid value: "array": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${heavy.rule}`,
    ]);
  });

  it("stop rules that together cost too much", () => {
    const list = {
      type: "array",
      items: { type: "integer" },
      "x-kubernetes-validations": Array.from({ length: 40 }, (_, i) => ({ rule: `${heavy.rule} && ${i} >= 0` })),
    };
    const { errors } = run(object({ a: list }), { a: numbers });
    expect(errors).toEqual([
      'a: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});
