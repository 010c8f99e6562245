import { describe, expect, it } from "vitest";
import { apiEnvironment } from "./api-environment.ts";
import { CelError, formatIssues } from "./errors.ts";
import { toJson } from "./json.ts";
import { LazyObject, lazyStruct } from "./lazy-object.ts";
import { objectLiterals } from "./object-literals.ts";
import { BOOL, DYN, INT } from "./types.ts";
import type { CelValue } from "./values.ts";

const variables = lazyStruct(
  "variables",
  new Map([
    ["n", INT],
    ["bad", BOOL],
  ]),
);
const environment = apiEnvironment({ minor: 34, namespace: "kubernetes", jsonPatch: true }).withVariables(
  [
    { name: "object", type: DYN },
    { name: "variables", type: variables.type },
  ],
  [variables],
  { types: objectLiterals },
);

function evaluate(text: string, activation: Record<string, unknown>): CelValue {
  const compiled = environment.compile(text);
  if (!compiled.ok) throw new Error(formatIssues(compiled.issues));
  return compiled.program.evaluate(activation);
}

describe("object literals", () => {
  it("become JSON", () => {
    const text = "Object{spec: Object.spec{replicas: object.n + 1, ?paused: object.?paused, list: [1, 2]}}";
    expect(toJson(evaluate(text, { object: { n: 2 } }))).toEqual({ spec: { replicas: 3, list: [1, 2] } });
  });

  it("are refused in a place of another type", () => {
    expect(evaluate("Object{spec: Object.status{a: 1}}", {})).toMatchObject({
      message:
        'unexpected type name "Object.status", expected "Object.spec", which matches field name path from root Object type',
    });
  });

  it("build patches", () => {
    const text = "[JSONPatch{op: 'add', path: '/a/' + jsonpatch.escapeKey('b/c'), value: {'x': 1}}]";
    expect(toJson(evaluate(text, {}))).toEqual([{ op: "add", path: "/a/b~1c", value: { x: 1 } }]);
    expect(environment.compile("JSONPatch{opp: 'add'}").ok).toBe(false);
    expect(environment.compile("JSONPatch{op: 1}").ok).toBe(false);
    expect(environment.compile("Thing{a: 1}").ok).toBe(false);
  });
});

describe("lazy objects", () => {
  it("work a field out once, and only when it is read", () => {
    const asked: string[] = [];
    const value = new LazyObject(variables.type, (field) => {
      asked.push(field);
      return field === "n" ? 3 : new CelError("broken");
    });
    expect(evaluate("variables.n + variables.n", { variables: value })).toBe(6);
    expect(asked).toEqual(["n"]);
    expect(evaluate("variables.bad", { variables: value })).toMatchObject({ message: "broken" });
    expect(environment.compile("variables.other").ok).toBe(false);
  });
});
