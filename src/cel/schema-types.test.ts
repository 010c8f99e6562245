import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { apiEnvironment } from "./api-environment.ts";
import { CelError, formatIssues } from "./errors.ts";
import { toJson } from "./json.ts";
import { escapePropertyName } from "./property-names.ts";
import { type CelSchema, declareSchema, schemaVariable } from "./schema-types.ts";
import { formatType } from "./types.ts";
import type { CelValue } from "./values.ts";

const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" });
const string: CelSchema = { type: "string", maxLength: 64 };
const integer: CelSchema = { type: "integer" };

const object = (properties: Record<string, CelSchema>, more: Partial<CelSchema> = {}): CelSchema => ({
  type: "object",
  properties: new Map(Object.entries(properties)),
  ...more,
});
const list = (items: CelSchema, more: Partial<CelSchema> = {}): CelSchema => ({ type: "array", items, ...more });

function evaluate(schema: CelSchema, rule: string, self: unknown, oldSelf: unknown = self): CelValue {
  const declaration = atOnce(declareSchema(schema, "self"));
  if (declaration === undefined) throw new Error("no type");
  const variables = [schemaVariable("self", declaration), schemaVariable("oldSelf", declaration)];
  const compiled = environment.withVariables(variables, declaration.structs).compile(rule);
  if (!compiled.ok) throw new Error(formatIssues(compiled.issues));
  return compiled.program.evaluate({ self, oldSelf });
}

describe("types of schemas", () => {
  it.each<[string, CelSchema, string | undefined]>([
    ["an object with properties", object({ a: string }), "self"],
    ["a map", { type: "object", additionalProperties: integer }, "map(string, int)"],
    ["a list", list({ type: "number" }), "list(double)"],
    ["a boolean", { type: "boolean" }, "bool"],
    ["an integer", integer, "int"],
    ["a number", { type: "number" }, "double"],
    ["a string", string, "string"],
    ["bytes", { type: "string", format: "byte" }, "bytes"],
    ["a date", { type: "string", format: "date" }, "timestamp"],
    ["a time", { type: "string", format: "date-time" }, "timestamp"],
    ["a time by its other name", { type: "string", format: "datetime" }, "timestamp"],
    ["a duration", { type: "string", format: "duration" }, "duration"],
    ["int or string", { intOrString: true }, "dyn"],
    ["null", { type: "null" }, "null"],
    ["something unknown", { dynamic: true }, "dyn"],
    ["a schema without type", {}, undefined],
    ["a list of that", list({}), undefined],
  ])("%s", (_name, schema, type) => {
    const declaration = atOnce(declareSchema(schema, "self"));
    expect(declaration === undefined ? undefined : formatType(declaration.type)).toBe(type);
  });
});

describe("values of schemas", () => {
  it.each<[CelSchema, string, unknown]>([
    [{ type: "number" }, "self == 2.0 && type(self) == double", 2],
    [object({ a: string, b: integer }), "type(self) == map && size(dyn(self)) == 2", { a: "x", b: 1 }],
    [object({ a: string, b: integer }), "dyn(self) == dyn({'a': dyn('x'), 'b': dyn(1)})", { a: "x", b: 1 }],
    [object({ a: string }), "dyn({'a': 'x'}) == dyn(self) && dyn({'a': 'y'}) != dyn(self)", { a: "x" }],
    [object({ a: string, b: integer }), "dyn(self).all(k, k in ['a', 'b']) && 'a' in dyn(self)", { a: "x", b: 1 }],
    [object({ a: string, b: integer }), "dyn(self).map(k, k) == ['a']", { a: "x", b: null }],
    [list(object({ a: string })), "{'a': 'x'} in dyn(self) && '%s'.format([self]) == '[{\"a\":\"x\"}]'", [{ a: "x" }]],
    [{ type: "string", format: "duration" }, "self == duration('72h')", "3 days"],
    [{ type: "string", format: "byte" }, "self == b'\\xff\\xef'", "/+8="],
    [{ type: "string", format: "byte" }, "self == b'\\xff\\xef'", "_-8="],
    [object({ a: string }), "!has(self.a) && !self.?a.hasValue()", { a: null }],
    [list(object({ a: string })), "self.all(o, !has(o.a))", [{ a: null }]],
    [list(string), "type(self[0]) == null_type", [null]],
    [object({ namespace: string, if: string }), "self.namespace == 'n' && has(self.if)", { namespace: "n", if: "" }],
    [object({ namespace: string }), "self.__namespace__ == 'n'", { namespace: "n" }],
    [list(object({ in: string, for: string })), "self.all(o, o.for == o.__in__)", [{ in: "x", for: "x" }]],
    [
      { type: "string", format: "date-time" },
      "string(self) == '2024-05-01T10:00:00.5+02:00'",
      "2024-05-01T10:00:00.5+02:00",
    ],
    [{ dynamic: true }, "has(self.a) && self.a == null && self['a'] == null", { a: null }],
    [integer, "self == 9007199254740993", 9007199254740993n],
    [{ type: "string", format: "byte" }, "self == b'ab'", "YWI="],
    [{ type: "string", format: "date" }, "self.getMonth() == 0", "2024-01-05"],
    [{ type: "string", format: "date-time" }, "self.getHours() == 1", "2024-01-01T23:00:00-02:00"],
    [{ type: "string", format: "duration" }, "self.getSeconds() == 90", "1m30s"],
    [{ intOrString: true }, "type(self) == int ? self < 10 : self == '10%'", 5],
    [{ intOrString: true }, "type(self) == int ? self < 10 : self == '10%'", "10%"],
    [object({ "a.b": string }), "self.a__dot__b == 'x'", { "a.b": "x" }],
    [object({ namespace: string }), "self.__namespace__ == 'x'", { namespace: "x" }],
    [
      object({ constructor: string, toString: string }),
      "!has(self.toString) && self.constructor == 'x'",
      { constructor: "x" },
    ],
    [object({ __proto: string }), "!has(self.__underscores__proto)", {}],
    [
      object({ a: object({ b: list(object({ c: integer })) }) }),
      "self.a.b.all(x, x.c > 0) && self.a.b[0].c == 1",
      { a: { b: [{ c: 1 }] } },
    ],
    [
      { type: "object", additionalProperties: { type: "number" } },
      "self.all(k, self[k] > 0.5) && self.k == 1.0",
      { k: 1 },
    ],
    [object({ x: object({ a: string }), y: string }), "self.?x.?a.orValue('none') == 'none'", { y: "" }],
    [
      object({}, { embeddedResource: true }),
      "self.kind == 'K' && self.metadata.name == 'n'",
      { kind: "K", metadata: { name: "n" } },
    ],
  ])("%# %s", (schema, rule, self) => {
    expect(evaluate(schema, rule, self)).toBe(true);
  });

  it.each<[what: string, rule: string, message: string]>([
    ["an item that is null", "self.texts.all(t, t.startsWith('a'))", "no such overload"],
    ["a value that is null", "self.map.k.matches('a')", "no such overload"],
    ["the size of null", "self.texts[1].size() == 0", "no such overload: size"],
    ["a time that is null", "self.times[0].getFullYear() > 1", "no such overload: getFullYear(null_type)"],
    ["a list that has no type, joined to one", "(['a'] + self.any).exists(t, t.contains('x'))", "no such overload"],
    [
      "null instead of a quantity",
      "(true ? null : quantity('1')).isInteger()",
      "no such overload: isInteger(null_type)",
    ],
    [
      "null instead of an optional",
      "(true ? null : optional.of(1)).hasValue()",
      "no such overload: hasValue(null_type)",
    ],
    [
      "null in three arguments",
      "self.texts[1].replace('a', 'b') == ''",
      "no such overload: replace(null_type, string, string)",
    ],
  ])("that are not what functions take are no case for them: %s", (_what, rule, message) => {
    const schema = object({
      texts: list(string),
      times: list({ type: "string", format: "date-time" }),
      map: { type: "object", additionalProperties: string },
      any: { dynamic: true },
    });
    const self = { texts: ["a", null], times: [null], map: { k: null }, any: [5] };
    expect(evaluate(schema, rule, self)).toEqual(new CelError(message, "noSuchOverload"));
  });

  it("that are not set are an error when read and absent when asked for", () => {
    const schema = object({ a: string });
    expect(evaluate(schema, "self.a == 'x'", {})).toMatchObject({ message: "no such key: a" });
    expect(evaluate(schema, "has(self.a)", {})).toBe(false);
  });

  it("go out as the JSON that came in", () => {
    const self = { a: { b: [1, 2.5] } };
    const schema = object({ a: object({ b: list({ type: "number" }) }) });
    expect(toJson(evaluate(schema, "self.a", self))).toBe(self.a);
    expect(toJson(evaluate(schema, "self.a.b", self))).toEqual([1, 2.5]);
  });

  it("that do not fit their format are errors", () => {
    expect(evaluate({ type: "string", format: "date-time" }, "self.getHours() == 1", "noon")).toBeInstanceOf(CelError);
  });
});

describe("lists", () => {
  const entry = object({ k: string, v: integer });
  const byKey: Partial<CelSchema> = { listType: "map", listMapKeys: ["k"] };

  it.each<[string, CelSchema, unknown, unknown, boolean]>([
    ["atomic lists", list(string), ["a", "b"], ["b", "a"], false],
    ["sets", list(string, { listType: "set" }), ["a", "b"], ["b", "a"], true],
    ["sets of numbers", list(integer, { listType: "set" }), [1, 2], [2, 3], false],
    ["maps by key", list(entry, byKey), [{ k: "a", v: 1 }, { k: "b" }], [{ k: "b" }, { k: "a", v: 1 }], true],
    ["maps by what is no key", list(entry, byKey), [{ k: Object.create(null) }], [{ k: "a" }], false],
    ["maps by key with another value", list(entry, byKey), [{ k: "a", v: 1 }], [{ k: "a", v: 2 }], false],
  ])("%s compare as they should, also inside objects", (_name, schema, x, y, equal) => {
    expect(evaluate(schema, "self == oldSelf", x, y)).toBe(equal);
    expect(evaluate(object({ list: schema }), "self == oldSelf", { list: x }, { list: y })).toBe(equal);
  });

  it.each<[string, CelSchema, unknown, unknown, unknown]>([
    ["atomic lists join", list(string), ["a"], ["a"], ["a", "a"]],
    ["sets unite", list(string, { listType: "set" }), ["a", "b"], ["c", "a"], ["a", "b", "c"]],
    [
      "maps by key replace",
      list(entry, byKey),
      [{ k: "a", v: 1 }],
      [{ k: "a", v: 2 }, { k: "b" }],
      [{ k: "a", v: 2 }, { k: "b" }],
    ],
  ])("%s", (_name, schema, x, y, sum) => {
    expect(toJson(evaluate(schema, "self + oldSelf", x, y))).toEqual(sum);
  });
});

describe("property names", () => {
  it.each([
    ["plain_Name1", "plain_Name1"],
    ["a.b", "a__dot__b"],
    ["a-b", "a__dash__b"],
    ["a/b", "a__slash__b"],
    ["a__b", "a__underscores__b"],
    ["x.y-z/w", "x__dot__y__dash__z__slash__w"],
    ["namespace", "__namespace__"],
    ["in", "__in__"],
    ["1a", undefined],
    ["a b", undefined],
    ["\u00e9", undefined],
    ["", undefined],
  ])("%j is %j", (property, identifier) => {
    expect(escapePropertyName(property)).toBe(identifier);
  });
});
