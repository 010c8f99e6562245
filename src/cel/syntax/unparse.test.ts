import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CelDouble } from "../values.ts";
import type { Expr, ParsedExpr } from "./ast.ts";
import { macroTable } from "./grammar.ts";
import { STANDARD_MACROS } from "./macros.ts";
import { parse } from "./parser.ts";
import { unparse } from "./unparse.ts";

const options = { macros: macroTable(STANDARD_MACROS), optionalSyntax: true, escapedIdentifiers: true };

function read(text: string): ParsedExpr {
  const result = parse(text, options);
  if ("issues" in result) throw new Error(`${text}\n${result.issues.map((issue) => issue.text).join("\n")}`);
  return result.parsed;
}

/** The tree without ids and places. */
function shape(expr: Expr): unknown {
  return JSON.parse(
    JSON.stringify(expr, (key, value) => {
      if (key === "id" || key === "offset") return undefined;
      if (typeof value === "bigint") return `${value}`;
      if (value instanceof CelDouble) return `double ${Object.is(value.value, -0) ? "-0" : value.value}`;
      return value;
    }),
  );
}

const name = fc.constantFrom("a", "b", "self", "x1", "_y");
const literal = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.nat().map((value) => `${value}u`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => {
    const text = String(value);
    return /[.e]/.test(text) ? text : `${text}.0`;
  }),
  fc.string().map((value) => JSON.stringify(value).replace(/\\u([0-9a-f]{4})/g, "\\u$1")),
  fc.constantFrom("true", "false", "null", 'b"\\xff\\001a"', "r'\\d'", "'''a'b'''"),
);

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie("expression");
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      literal,
      name,
      fc
        .tuple(inner, fc.constantFrom("+", "-", "*", "/", "%", "<", "==", "in", "&&", "||"), inner)
        .map((parts) => `(${parts[0]}) ${parts[1]} (${parts[2]})`),
      fc
        .tuple(inner, fc.constantFrom("&&", "||"), inner, fc.constantFrom("&&", "||"), inner)
        .map((parts) => `(${parts[0]}) ${parts[1]} (${parts[2]}) ${parts[3]} (${parts[4]})`),
      fc.tuple(fc.constantFrom("!", "-", "!!", "--", "---"), inner).map(([sign, operand]) => `${sign}(${operand})`),
      fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
      fc.tuple(inner, name).map(([operand, field]) => `(${operand}).${field}`),
      fc.tuple(inner, name).map(([operand, field]) => `(${operand}).?${field}`),
      fc.tuple(inner, inner).map(([operand, index]) => `(${operand})[${index}]`),
      fc.tuple(inner, inner).map(([operand, index]) => `(${operand})[?${index}]`),
      fc.tuple(name, fc.array(inner, { maxLength: 3 })).map(([fn, args]) => `${fn}(${args.join(", ")})`),
      fc
        .tuple(inner, name, fc.array(inner, { maxLength: 2 }))
        .map(([target, fn, args]) => `(${target}).${fn}(${args.join(", ")})`),
      fc.array(inner, { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
      fc
        .array(fc.tuple(inner, inner), { maxLength: 2 })
        .map((entries) => `{${entries.map(([k, v]) => `${k}: ${v}`).join(", ")}}`),
      fc.tuple(name, inner).map(([field, value]) => `Type.Name{${field}: ${value}}`),
      fc
        .tuple(inner, fc.constantFrom("all", "exists", "exists_one", "map", "filter"), inner)
        .map(([range, macro, body]) => `(${range}).${macro}(v, ${body})`),
      fc.tuple(inner, name).map(([operand, field]) => `has((${operand}).${field})`),
    ),
  };
});

describe("printing a tree", () => {
  it("gives a text that reads back as the same tree", () => {
    fc.assert(
      fc.property(expression, (text) => {
        const parsed = read(text);
        const printed = unparse(parsed);
        expect(shape(read(printed).expr)).toEqual(shape(parsed.expr));
        expect(unparse(read(printed))).toBe(printed);
      }),
      { seed: 20_240_501, numRuns: 2_000 },
    );
  });

  it.each([
    ["a+b*c", "a + b * c"],
    ["(a+b)*c", "(a + b) * c"],
    ["a-(b-c)", "a - (b - c)"],
    ["a && b && c && d", "a && b && c && d"],
    ["a && (b && c)", "a && (b && c)"],
    ["-(1)", "-(1)"],
    ["- 1", "-1"],
    ["x.all(v, v>1)", "x.all(v, v > 1)"],
    ["a?b:c?d:e", "a ? b : c ? d : e"],
    ["a.`in-valid`", "a.`in-valid`"],
    ["1.0", "1.0"],
  ])("spells %s as %s", (text, printed) => {
    expect(unparse(read(text))).toBe(printed);
  });
});
