import { describe, expect, it } from "vitest";
import { apiEnvironment } from "./api-environment.ts";
import { CostBudget } from "./cost-budget.ts";
import { CelError, compileFailure, formatIssues } from "./errors.ts";
import { BOOL, DYN, INT, STRING } from "./types.ts";

const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" }).withVariables([
  { name: "object", type: DYN },
  { name: "count", type: INT },
  { name: "name", type: STRING },
]);

function issuesOf(text: string): string {
  const compiled = environment.compile(text);
  return compiled.ok ? "" : formatIssues(compiled.issues);
}

it.each(["[,] == []", "[1,] == [1]", "{,} == {}", "{'a': 1,} == {'a': 1}"])(
  "a comma behind the last element, or alone, is none more: %s",
  (text) => expect(issuesOf(text)).toBe(""),
);

describe("mistakes of an expression", () => {
  it("are shown with place, line and caret", () => {
    expect(issuesOf("count +\n  missing")).toBe(
      "ERROR: <input>:2:3: undeclared reference to 'missing' (in container '')\n |   missing\n | ..^",
    );
  });

  it("are told all at once", () => {
    expect(issuesOf("foo && count + 'a' == name.bar() || 1").match(/ERROR/g)).toHaveLength(4);
  });

  it.each([
    ["objct.x", "did you mean 'object'?"],
    ["cuont > 1", "did you mean 'count'?"],
    ["name.startWith('x')", "did you mean 'startsWith'?"],
    ["name.lowerASCII()", "did you mean 'lowerAscii'?"],
  ])("%s suggests the name that was meant", (text, suggestion) => {
    expect(issuesOf(text)).toContain(suggestion);
  });

  it.each([
    ["name.startsWith(1)", "found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ["count == name", "found no matching overload for '_==_' applied to '(int, string)'"],
    ["count.x", "type 'int' does not support field selection"],
    ["count.all(x, true)", "cannot be range of a comprehension"],
    ["[1, 'a']", "expected type 'int' but found 'string'"],
    ["{'a': 1, 'b': 'c'}", "expected type 'int' but found 'string'"],
    ["[object, 1]", "expected type 'dyn' but found 'int'"],
    ["timestamp(-62135596801) == timestamp(0)", "invalid timestamp argument"],
    ["'%d'.format([name])", "decimal clause can only be used on integers, was given string"],
    ["'%d'.format([1.5])", "decimal clause can only be used on integers, was given double"],
    ["'%f'.format([count])", "fixed-point clause can only be used on doubles, was given int"],
    ["'%s'.format([[1, optional.of(2)]])", "string clause can only be used on strings"],
    ["'%d %d'.format([1])", "index 1 out of range"],
    ["'%d'.format([1, 2])", "too many arguments supplied to string.format (expected 1, got 2)"],
    ["'%y'.format([1])", 'could not parse formatting clause: unrecognized formatting clause "y"'],
    ["'%.'.format([1])", "could not find end of precision specifier"],
    ["'%'.format([1])", "unexpected end of string"],
    ["duration(3) == duration('3s')", "invalid duration argument"],
    ["duration(dyn(3)) == duration('3s')", "type conversion error from 'int' to 'google.protobuf.Duration'"],
    ["timestamp('2024-01-01t00:00:00z') == timestamp(0)", "invalid timestamp argument"],
    ["name == '\\ud800'", "invalid unicode code point"],
    ["rb'a' == b'a'", "Syntax error: mismatched input ''a''"],
    ["int('x') == 1", "type conversion error from 'string' to 'int'"],
    ["uint(-1) == 1u", "unsigned integer overflow"],
    ["int(1e30) == 1", "integer overflow"],
    ["duration(string(1)) == duration('1s')", "type conversion error from 'string' to 'google.protobuf.Duration'"],
    ["name.find('(') == ''", "error parsing regexp: missing closing )"],
    ["name.matches('([')", "invalid matches argument"],
    ["timestamp('noon') == timestamp('2024-01-01T00:00:00Z')", "invalid timestamp argument"],
    ["has(name)", "invalid argument to has() macro"],
    ["[1].all(1, true)", "argument must be a simple name"],
    ["for + 1", "reserved identifier: for"],
    ["[,,]", "Syntax error"],
    ["[,1]", "Syntax error"],
    ["name ==", "Syntax error: mismatched input '<EOF>'"],
    ["object.true", "Syntax error: mismatched input 'true' expecting IDENTIFIER"],
    ["name name", "Syntax error: extraneous input 'name' expecting <EOF>"],
    ["name name!", "Syntax error: mismatched input 'name' expecting <EOF>"],
    ["name.", "Syntax error: no viable alternative at input '.'"],
    ["name.[", "Syntax error: no viable alternative at input '.['"],
    ["'unclosed", "1:1: Syntax error: token recognition error at: ''unclosed'"],
    ["r'unclosed", "1:2: Syntax error: token recognition error at: ''unclosed'"],
    ["'a\nb'", "token recognition error at: ''a\\n'"],
    ["name = 5", "1:6: Syntax error: token recognition error at: '= '"],
    ["name & name", "1:8: Syntax error: extraneous input 'name' expecting <EOF>"],
    ["name == == 'a'", "Syntax error: extraneous input '==' expecting {'[',"],
    ["*.nobody", "1:1: Syntax error: extraneous input '*' expecting {'[',"],
    [".nobody", "1:2: undeclared reference to '.nobody'"],
    ["..name", "1:2: Syntax error: no viable alternative at input '..'"],
    ["object.in", "Syntax error: no viable alternative at input '.in'"],
    ["(name", "Syntax error: missing ')' at '<EOF>'"],
    ["[name][0", "Syntax error: missing ']' at '<EOF>'"],
    ["size(size(name", "Syntax error: mismatched input '<EOF>' expecting ')'"],
    ["(name 5)", "Syntax error: extraneous input '5' expecting ')'"],
    ["[name", "Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
    ["{name: 1", "Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
    ["true ? (name : 1", "Syntax error: mismatched input ':' expecting ')'"],
    ["99999999999999999999", "invalid int literal"],
    ["'\\q'", "1:1: Syntax error: token recognition error at: ''\\q'"],
    ["'\\x4g'", "token recognition error at: ''\\x4g'"],
    ["b'\\u0041'", "unable to unescape string"],
  ])("%s is refused", (text, message) => {
    expect(issuesOf(text)).toContain(message);
  });

  it("are integers of very many digits, whatever they say", () => {
    const zeros = "0".repeat(5_000);
    expect(issuesOf(`${zeros}5`)).toContain("invalid int literal");
    expect(issuesOf(`0x${zeros}5u`)).toContain("invalid uint literal");
  });

  it("stand in the order of the text", () => {
    expect(issuesOf("cidr(count).containsIP(ip(count))").match(/1:\d+/g)).toEqual(["1:5", "1:26"]);
  });

  it("tell a text that is wrong from a constant that cannot be worked out", () => {
    const failure = (text: string): string => {
      const compiled = environment.compile(text);
      return compiled.ok ? "" : compileFailure(compiled.issues);
    };
    expect(failure("count +")).toMatch(/^compilation failed: ERROR: <input>:1:8: Syntax error/);
    expect(failure("int(1e30)")).toBe("program instantiation failed: integer overflow");
  });

  it("do not include lists of many types where a format shows them", () => {
    expect(issuesOf("'%s %s'.format([1, [name, count]]) == ''")).toBe("");
  });

  it("include a result of the wrong type", () => {
    const compiled = environment.compile("count + 1", { expectedTypes: [BOOL] });
    expect(compiled.ok ? "" : compiled.issues[0]?.message).toBe(
      "must evaluate to bool, but the expression is of type int",
    );
    expect(environment.compile("object.x", { expectedTypes: [BOOL] }).ok).toBe(true);
  });
});

describe("an evaluation", () => {
  function evaluate(text: string, activation: Record<string, unknown>, options = {}) {
    const compiled = environment.compile(text);
    if (!compiled.ok) throw new Error(formatIssues(compiled.issues));
    return compiled.program.evaluate(activation, options);
  }

  it.each([
    ["has(object.x)", false],
    ["object.?x.hasValue()", false],
    ["object[?'x'].hasValue()", false],
    ["object.x == 1", "no such key: x"],
    ["object['x'] == 1", "no such key: x"],
    ["object[0] == 1", "no such key: 0"],
    ["has(object.x.y)", "no such key: x"],
  ])("%s finds nothing in what has no fields", (text, expected) => {
    for (const object of [null, 1, 1.5, "text", true]) {
      const found = evaluate(text, { object });
      expect(found instanceof CelError ? found.message : found).toBe(expected);
    }
  });

  it.each([
    ["object.lowerAscii() == ''", "no such overload: lowerAscii(int)"],
    ["sets.contains([1], object)", "no such overload: sets.contains(list, int)"],
    ["size(object) == 1", "no such overload: size"],
    ["object.startsWith('a')", "no such overload"],
  ])("%s is called on a number in vain", (text, message) => {
    expect(evaluate(text, { object: 1 })).toMatchObject({ code: "noSuchOverload", message });
  });

  it("takes what is no optional for a value that is there", () => {
    expect(evaluate("object.orValue(2)", { object: 1 })).toBe(1);
    expect(evaluate("object.or(optional.of(2))", { object: null })).toBe(null);
  });

  it.each(["has(object.x)", "object.x", "object.?x"])("%s is an error where object is a list", (text) => {
    const found = evaluate(text, { object: [1] });
    expect(found).toMatchObject({ message: "unsupported index type 'string' in list" });
  });

  it("lets the other side of && and || absorb an error", () => {
    const activation = { object: { a: 1 } };
    expect(evaluate("object.b == 1 || true", activation)).toBe(true);
    expect(evaluate("true || object.b == 1", activation)).toBe(true);
    expect(evaluate("object.b == 1 && false", activation)).toBe(false);
    expect(evaluate("object.b == 1 && true", activation)).toMatchObject({ code: "failed", message: "no such key: b" });
    expect(evaluate("[1, 0].exists(x, 1 / x == 1)", activation)).toBe(true);
    expect(evaluate("[0, 1].all(x, 1 / x == 2)", activation)).toBe(false);
  });

  it("never sees what the prototype has", () => {
    const object = JSON.parse('{"__proto__": {"x": 1}, "constructor": "c"}');
    expect(evaluate("object.__proto__.x == 1", { object })).toBe(true);
    expect(evaluate("object.constructor == 'c'", { object })).toBe(true);
    expect(
      evaluate("has(object.toString) || 'hasOwnProperty' in object || has(object.__proto__.__proto__)", { object }),
    ).toBe(false);
    expect(evaluate("has(object.__proto__)", { object: {} })).toBe(false);
  });

  it("keeps integers beyond 2^53 exact", () => {
    expect(evaluate("object.n == 9007199254740993", { object: { n: 9007199254740993n } })).toBe(true);
    expect(evaluate("object.n == 9007199254740992", { object: { n: 9007199254740993n } })).toBe(false);
  });

  it("stops at its cost limit", () => {
    const numbers = Array.from({ length: 1_000 }, (_, index) => index);
    const result = evaluate("object.all(x, object.all(y, x != -1 || y != -1))", { object: numbers });
    expect(result).toMatchObject({ code: "costLimit", message: "operation cancelled: actual cost limit exceeded" });
  });

  it("draws on the budget of its request until that is gone", () => {
    const budget = new CostBudget(6);
    expect(evaluate("count == 1", { count: 1 }, { budget })).toBe(true);
    expect(budget.remaining).toBe(4);
    expect(evaluate("count == 1 && count == 1", { count: 1 }, { budget })).toBe(true);
    expect(evaluate("count == 1", { count: 1 }, { budget })).toMatchObject({ code: "budget" });
    expect(evaluate("true", {}, { budget })).toMatchObject({ code: "budget" });
  });

  it("ends when its caller does not wait any longer", () => {
    let asked = 0;
    const interrupted = () => ++asked === 2;
    const object = Array.from({ length: 1_000 }, () => 1);
    expect(evaluate("object.all(x, x == 1)", { object }, { interrupted })).toMatchObject({ code: "interrupted" });
    expect(asked).toBe(2);
  });

  it("reports a variable that is not there", () => {
    expect(evaluate("count == 1", {})).toMatchObject({ message: "no such attribute(s): count" });
  });
});

describe("environments by version", () => {
  it.each([
    [26, "1 < 2.0", false],
    [28, "1 < 2.0", true],
    [27, "optional.of(1).hasValue()", false],
    [28, "quantity('1').isInteger()", true],
    [28, "'%d'.format([1]) == '1'", false],
    [29, "'%d'.format([1]) == '1'", true],
    [28, "sets.contains([1], [1])", false],
    [30, "isIP('::1')", true],
    [30, "format.uri().validate('/').hasValue()", false],
    [31, "format.uri().validate('/').hasValue()", true],
    [32, "[1].all(i, v, true)", true],
    [32, "isSemver('1.0.0')", false],
    [33, "[2, 1].sort() == [1, 2]", false],
    [34, "[2, 1].sort() == [1, 2]", true],
    [20, "'a'.upperAscii() == 'A' && isURL('/x') && [1].sum() == 1 && 'a'.find('b') == ''", true],
  ])("1.%i takes %s: %s", (minor, text, taken) => {
    expect(apiEnvironment({ minor, namespace: "kubernetes" }).compile(text).ok).toBe(taken);
  });

  it("shares compiled programs", () => {
    const [first, second] = [environment.compile("count == 7"), environment.compile("count == 7")];
    expect(first).toBe(second);
  });
});
