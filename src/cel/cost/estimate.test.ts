import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apiEnvironment } from "../api-environment.ts";
import { formatIssues } from "../errors.ts";
import { RULE_ESTIMATE_LIMIT } from "../limits.ts";
import { type CelSchema, declareSchema, schemaVariable } from "../schema-types.ts";

const text: CelSchema = { type: "string", maxLength: 20 };
const schema: CelSchema = {
  type: "object",
  properties: new Map<string, CelSchema>([
    ["i", { type: "integer" }],
    ["s", text],
    ["t", text],
    ["li", { type: "array", maxItems: 6, items: { type: "integer" } }],
    ["ls", { type: "array", maxItems: 5, items: text }],
    ["m", { type: "object", maxProperties: 4, additionalProperties: text }],
    [
      "lo",
      {
        type: "array",
        maxItems: 4,
        items: {
          type: "object",
          properties: new Map([
            ["s", text],
            ["i", { type: "integer" } as CelSchema],
          ]),
        },
      },
    ],
  ]),
};
const declaration = declareSchema(schema, "self");
const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables(
  declaration === undefined ? [] : [schemaVariable("self", declaration)],
  declaration?.structs ?? [],
);

function estimateOf(rule: string) {
  const compiled = environment.compile(rule);
  if (!compiled.ok) throw new Error(`${rule}\n${formatIssues(compiled.issues)}`);
  return { program: compiled.program, estimate: environment.estimate(rule) };
}

const value = fc.record({
  i: fc.integer(),
  s: fc.string({ unit: "grapheme", maxLength: 6 }),
  t: fc.string({ maxLength: 20 }),
  li: fc.array(fc.integer(), { maxLength: 6 }),
  ls: fc.array(fc.string({ maxLength: 20 }), { maxLength: 5 }),
  m: fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ maxLength: 20 }), { maxKeys: 4 }),
  lo: fc.array(fc.record({ s: fc.string({ maxLength: 20 }), i: fc.integer() }), { maxLength: 4 }),
});

/** Expressions by type; each kind is built from the others. */
const { bool } = fc.letrec<{ bool: string; int: string; string: string; ints: string; strings: string }>((tie) => {
  const [b, i, s, li, ls] = [tie("bool"), tie("int"), tie("string"), tie("ints"), tie("strings")];
  const depth = { maxDepth: 4, depthSize: "small" as const };
  const pick = fc.constantFrom;
  return {
    bool: fc.oneof(
      depth,
      pick("true", "has(self.m.a)", "self.i > 0"),
      fc.tuple(b, pick("&&", "||"), b).map(([x, op, y]) => `(${x} ${op} ${y})`),
      b.map((x) => `!(${x})`),
      fc.tuple(i, pick("<", "<=", "==", "!="), i).map(([x, op, y]) => `(${x} ${op} ${y})`),
      fc.tuple(s, pick("<", "==", "!=", ">="), s).map(([x, op, y]) => `(${x} ${op} ${y})`),
      fc
        .tuple(s, pick("contains", "matches"), pick("'a'", "'[a-z]+'", "'ab*'"))
        .map(([x, fn, y]) => `${x}.${fn}(${y})`),
      fc.tuple(s, pick("startsWith", "endsWith"), s).map(([x, fn, y]) => `${x}.${fn}(${y})`),
      fc.tuple(li, pick("all", "exists", "exists_one"), b).map(([x, fn, p]) => `${x}.${fn}(n, n > 1 || ${p})`),
      fc.tuple(ls, pick("all", "exists"), s).map(([x, fn, y]) => `${x}.${fn}(w, w + ${y} == w)`),
      fc.tuple(i, li).map(([x, y]) => `(${x} in ${y})`),
      fc.tuple(s, ls).map(([x, y]) => `(${x} in ${y})`),
      fc.tuple(ls, ls).map(([x, y]) => `(${x} == ${y})`),
      fc.tuple(li, li).map(([x, y]) => `sets.intersects(${x}, ${y})`),
      ls.map((x) => `${x}.isSorted()`),
      s.map((x) => `isIP(${x})`),
      s.map((x) => `self.m.all(k, k != ${x})`),
      pick("self.lo == self.lo", "self == self", "self.m == self.m", "self.lo.all(o, o.s.size() >= 0 && o.i == o.i)"),
      fc.tuple(b, b, b).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
    ),
    int: fc.oneof(
      depth,
      pick("1", "self.i", "7"),
      fc.tuple(i, pick("+", "-", "*"), i).map(([x, op, y]) => `(${x} ${op} ${y})`),
      s.map((x) => `size(${x})`),
      ls.map((x) => `${x}.size()`),
      li.map((x) => `${x}.sum()`),
      fc.tuple(s, s).map(([x, y]) => `${x}.indexOf(${y})`),
      fc.tuple(ls, s).map(([x, y]) => `${x}.indexOf(${y})`),
      pick("self.lo.map(o, o.i).sum()", "self.li[?0].orValue(1)"),
    ),
    string: fc.oneof(
      depth,
      pick("'a'", "''", "self.s", "self.t", "self.m[?'k'].orValue('none')", "self.ls[?1].orValue(self.s)"),
      fc.tuple(s, s).map(([x, y]) => `(${x} + ${y})`),
      s.map((x) => `${x}.upperAscii()`),
      s.map((x) => `${x}.trim()`),
      s.map((x) => `${x}.replace('a', 'bcd')`),
      s.map((x) => `${x}.find('[a-z]+')`),
      i.map((x) => `string(${x})`),
      ls.map((x) => `${x}.join(', ')`),
      fc.tuple(b, s, s).map(([x, y, z]) => `(${x} ? ${y} : ${z})`),
    ),
    ints: fc.oneof(
      depth,
      pick("[1, 2]", "self.li"),
      fc.tuple(li, li).map(([x, y]) => `(${x} + ${y})`),
      fc.tuple(li, i).map(([x, y]) => `${x}.map(n, n + ${y})`),
      fc.tuple(li, b).map(([x, p]) => `${x}.filter(n, n > 0 && ${p})`),
      ls.map((x) => `${x}.map(w, w.size())`),
    ),
    strings: fc.oneof(
      depth,
      pick("['a', 'b']", "self.ls", "self.lo.map(o, o.s)", "self.m.map(k, k)"),
      fc.tuple(ls, ls).map(([x, y]) => `(${x} + ${y})`),
      fc.tuple(ls, s).map(([x, y]) => `${x}.map(w, w + ${y})`),
      s.map((x) => `${x}.split(',')`),
      ls.map((x) => `${x}.filter(w, w != 'a')`),
    ),
  };
});

describe("the estimate", () => {
  it("is never below what an evaluation costs", () => {
    fc.assert(
      fc.property(bool, value, (rule, self) => {
        const { program, estimate } = estimateOf(rule);
        let spent = 0;
        program.evaluate({ self }, { costLimit: Number.POSITIVE_INFINITY, onCost: (cost) => (spent = cost) });
        expect(estimate?.max, `${rule} over ${JSON.stringify(self)}`).toBeGreaterThanOrEqual(spent);
      }),
      { seed: 1_337, numRuns: 1_000 },
    );
  });

  it.each([
    ["self.i == 1", 3, 3],
    ["self.s == 'abc'", 3, 3],
    ["self.s == self.t", 5, 12],
    ["self.li.all(x, x > 0)", 3, 33],
    ["self.ls.all(x, x.matches('[a-z]+'))", 3, 5 * (3 + 1 + 9 * 2) + 3],
    ["self.i == 1 && self.i == 2", 3, 6],
    ["self.i > 0 ? self.li.size() : 1", 3, 6],
    ["[1, 2, 3].map(x, x * 2)", 63, 63],
    ["has(self.s)", 1, 1],
  ])("of %s is between %d and %d", (rule, min, max) => {
    expect(estimateOf(rule).estimate).toEqual({ min, max });
  });

  it("is too high where a schema has no bounds", () => {
    const unbounded = declareSchema({ type: "array", items: { type: "string" } }, "self");
    const wild = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables(
      unbounded === undefined ? [] : [schemaVariable("self", unbounded)],
    );
    expect(wild.estimate("self.all(x, self.all(y, x.contains(y)))")?.max).toBeGreaterThan(RULE_ESTIMATE_LIMIT);
    expect(wild.estimate("self.size() < 10")?.max).toBeLessThan(10);
  });
});
