// Expressions and values made to hurt: they are refused or end within their limits, and the process lives on.

import { describe, expect, it } from "vitest";
import { apiEnvironment } from "./api-environment.ts";
import type { StructDeclaration } from "./declarations.ts";
import { CelError } from "./errors.ts";
import { MAX_REPORTED_ISSUES } from "./limits.ts";
import { CelType, DYN } from "./types.ts";
import type { CelValue } from "./values.ts";

const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables([{ name: "x", type: DYN }]);

function run(text: string, activation: Record<string, unknown> = {}): CelValue | "refused" {
  const compiled = environment.compile(text);
  return compiled.ok ? compiled.program.evaluate(activation) : "refused";
}

describe("texts", () => {
  const deep = 100_000;
  it.each([
    ["brackets", `${"(".repeat(deep)}1${")".repeat(deep)}`],
    ["lists", `${"[".repeat(deep)}${"]".repeat(deep)}`],
    ["maps", "{1:".repeat(deep)],
    ["calls", "size(".repeat(deep)],
    ["conditionals", "true ? ".repeat(20_000)],
    ["indexes", `x${"[x".repeat(40_000)}`],
    ["selections", `x${".a".repeat(40_000)}`],
    ["sums", `1${"+1".repeat(40_000)}`],
    ["sums as high as the stack", `1${"+1".repeat(1_400)}`],
    ["comparisons", `1${"<1".repeat(40_000)}`],
    ["macros", "[1].all(x, ".repeat(8_000)],
    ["a long text", " ".repeat(200_000)],
    ["quotes", '"'.repeat(99_999)],
    ["back quotes", "`".repeat(90_000)],
    ["odd characters", "\u0000\ud800\uffff".repeat(20_000)],
    ["reserved words", "for+".repeat(20_000)],
    ["conjunctions", `true${"&&true".repeat(15_000)}`],
    ["elements", `[${"1,".repeat(30_000)}].size() == 30000`],
    ["nodes that macros make", `true${"||[1].all(x,x==1)".repeat(1_000)}`],
  ])("of endless %s are refused", (_name, text) => {
    expect(run(text)).toBe("refused");
  });

  it.each([
    ["negations", `${"!".repeat(90_000)}true`, true],
    ["conjunctions", `true${"&&true".repeat(4_000)}`, true],
    ["disjunctions", `false${"||false".repeat(4_000)}`, false],
    ["a long literal", `'${"a".repeat(90_000)}'.size() == 90000`, true],
    ["a long list", `[${"1,".repeat(8_000)}].size() == 8000`, true],
    ["sums", `${"1+".repeat(990)}1 == 991`, true],
    ["indexes", `${"[".repeat(200)}1${"]".repeat(200)}${"[0]".repeat(200)} == 1`, true],
    ["optional selections", `x${".?a".repeat(990)}.orValue(1) == 1`, true],
  ])("of many %s work", (_name, text, value) => {
    expect(run(text, { x: {} })).toBe(value);
  });
});

describe("mistakes", () => {
  it("beyond those that are told are not looked into", () => {
    let looks = 0;
    function* fieldNames() {
      looks += 1;
      yield "name";
    }
    const type = new CelType("struct", "thing");
    const struct: StructDeclaration = { type, field: () => undefined, fieldNames };
    const things = environment.withVariables([{ name: "y", type }], [struct]);
    const compiled = things.compile(`y.nme${"==y.nme".repeat(900)}`);
    expect([compiled.ok ? 0 : compiled.issues.length, looks]).toEqual([MAX_REPORTED_ISSUES, MAX_REPORTED_ISSUES]);
  });

  it("in literals are told up to as many", () => {
    const compiled = environment.compile(`'a'.matches('(')${"||'a'.matches('(')".repeat(900)}`);
    expect(compiled.ok ? 0 : compiled.issues.length).toBe(MAX_REPORTED_ISSUES);
  });

  it("are placed by line and character", () => {
    const compiled = environment.compile(`'\u{1f600}\u{1f600}' == 'a' &&\n\n '\u{1f600}' == 'b' && missing`);
    expect(compiled.ok ? [] : compiled.issues.map(({ line, column }) => [line, column])).toEqual([[3, 16]]);
  });
});

describe("evaluations", () => {
  it("that double a string end at the cost or size limit", () => {
    const doubling = `'aaaaaaaaaa'${".split('').map(c, 'aaaaaaaaaa').join('')".repeat(12)}`;
    expect(run(doubling)).toBeInstanceOf(CelError);
  });

  it("that join large texts in a loop end at the cost limit", () => {
    const x = Array.from({ length: 2_000 }, () => "a".repeat(1_000));
    expect(run("x.map(a, x.map(b, a + b)).size() > 0", { x })).toMatchObject({ code: "costLimit" });
  });

  it("with patterns that backtrack take linear time", () => {
    expect(run("x.matches('^(a+)+$')", { x: `${"a".repeat(5_000)}b` })).toBe(false);
  });

  it("with patterns that repeat without end are refused", () => {
    expect(run("'a'.matches(x)", { x: "[[:alpha:]]{1000}".repeat(200) })).toMatchObject({
      message: expect.stringMatching(/too large/),
    });
    expect(run("'a'.matches(x)", { x: "(".repeat(2_000) })).toBeInstanceOf(CelError);
    expect(run("'a'.matches(x)", { x: "a".repeat(10_000) })).toBeInstanceOf(CelError);
  });

  it("with nested values deeper than the stack end in an error", () => {
    let deep: unknown = 1;
    let other: unknown = 1;
    for (let level = 0; level < 200_000; level++) {
      deep = [deep];
      other = [other];
    }
    expect(run("x[0] == x[1]", { x: [deep, other] })).toBeInstanceOf(CelError);
  });

  it("with huge counts are refused before memory is taken", () => {
    expect(run("lists.range(9223372036854775807)")).toBeInstanceOf(CelError);
    expect(run("'%.100000f'.format([1.0])")).toBe("refused");
    expect(run("x.format([1.0])", { x: "%.100000f" })).toBeInstanceOf(CelError);
    expect(run("quantity('1e1000000000').isInteger()")).toBeInstanceOf(CelError);
    expect(run("int('9'.replace('9', x))", { x: "9".repeat(1_000_000) })).toBeInstanceOf(CelError);
    expect(run("duration(x) == duration(x)", { x: "1".repeat(1_000_000) })).toBeInstanceOf(CelError);
  });

  it("over dynamic values pay for what they look at", () => {
    const x = Array.from({ length: 20_000 }, (_, index) => index);
    expect(run("x.all(a, a in x)", { x })).toMatchObject({ code: "costLimit" });
    expect(run("x.all(a, (x + x)[0] == 0)", { x: x.slice(0, 10_000) })).toBe(true);
  });

  it("that compare deep values again and again end", () => {
    const inner = () => Array.from({ length: 20_000 }, (_, index) => index);
    const x = { many: Array.from({ length: 5_000 }, () => 1), a: [inner()], b: [inner()] };
    expect(run("x.many.all(n, x.a == x.b)", { x })).toMatchObject({ code: "costLimit" });
    expect(run("x.a == x.b", { x })).toBe(true);
  });
});
