// What rules cost, estimated and when they run, in upstream's units: limits depend on every one of them.

import { describe, expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import { apiEnvironment } from "../api-environment.ts";
import { formatIssues } from "../errors.ts";
import { RULE_ESTIMATE_LIMIT } from "../limits.ts";
import { type CelSchema, declareSchema, type SchemaDeclaration, schemaVariable } from "../schema-types.ts";

const text: CelSchema = { type: "string" };
const shortText: CelSchema = { type: "string", maxLength: 20 };
const properties = new Map<string, CelSchema>([
  ["i", { type: "integer" }],
  ["d", { type: "string", format: "duration" }],
  ["s", shortText],
  ["t", shortText],
  ["long", text],
  ["li", { type: "array", maxItems: 6, items: { type: "integer" } }],
  ["ls", { type: "array", maxItems: 5, items: shortText }],
  ["set", { type: "array", maxItems: 5, items: shortText, listType: "set" }],
  ["m", { type: "object", maxProperties: 4, additionalProperties: shortText }],
  ["open", { type: "object", additionalProperties: text }],
  ["o", { type: "object", properties: new Map([["namespace", shortText]]) }],
  ["lo", { type: "array", maxItems: 4, items: { type: "object", properties: new Map([["k", shortText]]) } }],
]);
const declaration = atOnce(declareSchema({ type: "object", properties }, "self")) as SchemaDeclaration;
const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables(
  [schemaVariable("self", declaration)],
  declaration.structs,
);
const self = {
  i: 3,
  d: "1m",
  s: "twenty-two characters!",
  t: "abc",
  long: "x".repeat(100),
  li: [1, 2, 3, 4],
  ls: ["a", "b", "c"],
  set: ["a", "b"],
  m: { a: "1", b: "2" },
  open: {},
  o: { namespace: "n" },
  lo: [{ k: "x" }, { k: "y" }, {}],
};

function costsOf(rule: string): { runs: number; estimate: number | undefined } {
  const compiled = environment.compile(rule);
  if (!compiled.ok) throw new Error(`${rule}\n${formatIssues(compiled.issues)}`);
  let runs = 0;
  compiled.program.evaluate({ self }, { onCost: (cost) => (runs = cost) });
  return { runs, estimate: environment.estimate(rule, declaration.sizes)?.max };
}

const UNBOUNDED = Number.POSITIVE_INFINITY;

describe("the cost of a rule", () => {
  it.each<[rule: string, runs: number, estimate: number]>([
    // A path is one unit, and one for each step of it.
    ["self.i > 0", 3, 3],
    ["self.o.namespace == 'n'", 4, 4],
    ["has(self.i)", 1, 1],
    // Ten for a list that is written out, beside what stands in it.
    ["[self.i].size() == 1", 14, 14],
    ["has(self.o.namespace)", 2, 2],
    ["self.li[0] == 1", 4, 3],
    ["self.m['a'] == '1'", 4, 4],
    // What is compared counts by its size; the estimate takes numbers of a schema for nothing.
    ["self.i == 1", 3, 2],
    ["self.s == 'twenty-two characters!'", 5, 5],
    ["self.s == self.t", 5, 12],
    ["self.d == duration('1m')", 3, 4],
    ["self.li == [1, 2, 3, 4]", 3, 13],
    ["self.m == {'a': '1', 'b': '2'}", 3, 33],
    // Constants are worked out once.
    ["[1, 2, 3].size() == 3", 2, 12],
    ["[self.i, 2].size() == 2", 14, 14],
    ["{'a': self.i}.size() == 1", 34, 34],
    ["duration('1h') > duration('1m')", 1, 3],
    ["self.s in ['a', 'b']", 2, 14],
    ["self.s in [self.t]", 15, 15],
    ["type(self.i) == int", 4, 4],
    // A path from a result has a unit of its own; a choice has none, nor have the paths that it leads to.
    ["(self.li + [5])[0] == 1", 6, 14],
    ["(self.i > 0 ? self.s : self.t) == 'a'", 5, 6],
    ["(self.i > 0 ? self.o : self.o).namespace == 'n'", 6, 6],
    ["self.li[self.i] > 0", 5, 6],
    // Loops.
    ["self.li.all(x, x > 0)", 23, 33],
    ["self.li.exists(x, x > 3)", 27, 39],
    ["self.li.exists_one(x, x > 3)", 14, 28],
    ["self.li.filter(x, x > 2).size() == 2", 39, 105],
    ["self.li.map(x, x * 2).size() == 4", 61, 99],
    ["self.li.map(x, 1).size() == 4", 13, 87],
    ["self.m.all(k, self.m[k] != '')", 15, 31],
    ["self.m.transformMap(k, v, v + 'x').size() == 2", 15, 87],
    ["self.open.all(k, k.contains(self.open[k]))", 3, 3_145_723],
    // Errors cost what the operators around them cost.
    ["self.lo.exists(o, o.k == 'z')", 24, 31],
    // Optional values cost only what is there, and the second choice only when it is taken.
    ["self.?i.orValue(1) == 3", 3, 4],
    ["self.?open.?x.orValue('') == ''", 2, 4],
    ["self.m[?'a'].orValue('b') == '1'", 4, 5],
    ["optional.of(self.i).optMap(x, x + 1).hasValue()", 12, 22],
    // Sizes follow sums and choices.
    ["(self.ls + self.ls).all(w, w.size() > 0)", 42, 66],
    ["(has(self.ls) ? self.ls : []).all(w, w != '')", 15, 32],
    ["(self.s + self.t).contains('a')", 10, 36],
    // Texts.
    ["self.long.startsWith('x')", 12, 3],
    ["self.long.endsWith('y')", 12, 3],
    ["self.long.contains('y')", 12, 314_575],
    ["self.long.lastIndexOf('y') < 0", 13, 314_576],
    ["self.ls.join(',') == ''", 3, 43],
    ["self.ls.isSorted()", 2, 47],
    ["self.s.matches('[a-z]+')", 8, 20],
    ["matches(self.s, '[a-z]+')", 3, 3],
    ["sets.contains(self.set, ['a'])", 5, 18],
    ["format.dns1123Label().validate(self.t).hasValue()", 12, 260],
  ])("%s is %d, and at most %d", (rule, runs, estimate) => {
    expect(costsOf(rule)).toEqual({ runs, estimate });
  });

  it.each([
    ["optional.of(self.s) == optional.of(self.t)"],
    ["type(self.i) == type(self.s)"],
    ["[self.s].isSorted()"],
    ["self.?long.orValue('').contains(self.?long.orValue(''))"],
  ])("%s has no bound, as upstream keeps no account of what is inside", (rule) => {
    expect(costsOf(rule).estimate).toBe(UNBOUNDED);
  });

  it("counts one unit for operators whose version is only known at run time", () => {
    const rule = "dyn(self.long) + dyn(self.long) == '' || dyn(self.long) < dyn(self.long)";
    expect(costsOf(rule).runs).toBe(2 * 3 + 1 + 0 + 2 * 3 + 1);
  });

  it("is too high where a schema has no bounds", () => {
    const unbounded = atOnce(declareSchema({ type: "array", items: text }, "self")) as SchemaDeclaration;
    const wild = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables([
      schemaVariable("self", unbounded),
    ]);
    const estimate = (rule: string): number | undefined => wild.estimate(rule, unbounded.sizes)?.max;
    expect(estimate("self.all(x, self.all(y, x.contains(y)))")).toBeGreaterThan(RULE_ESTIMATE_LIMIT);
    expect(estimate("self.size() < 10")).toBeLessThan(10);
  });
});
