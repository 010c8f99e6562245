// What policies are refused for, in upstream's words.

import { describe, expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import { fieldErrorText } from "../../meta/field-error.ts";
import { namesFor } from "../../meta/names.ts";
import type { HookContext } from "../define-kind.ts";
import { validateMutatingPolicy } from "./mutating-admission-policy.ts";
import { validateValidatingPolicy } from "./policy-validation.ts";

const context: HookContext = { names: namesFor("kubernetes"), gateEnabled: () => true, nowMs: 0 };
const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const COMMON = {
  failurePolicy: "Fail",
  matchConstraints: { resourceRules: [RULE], matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} },
};

const judge = (spec: object) =>
  atOnce(
    validateValidatingPolicy(
      { metadata: { name: "p" }, spec: { ...COMMON, validations: [{ expression: "true" }], ...spec } } as never,
      context,
    ),
  ).map(fieldErrorText);

describe("a validating policy", () => {
  it("that is right passes", () => {
    expect(judge({})).toEqual([]);
  });

  it.each<[string, object, RegExp[]]>([
    [
      "cannot ask the authorizer for its messages",
      { validations: [{ expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" }] },
      [/^spec.validations\[0\].messageExpression: .*undeclared reference to 'authorizer'/],
    ],
    [
      "is told of every variable that does not compile, also of repeated names",
      {
        variables: [
          { name: "x", expression: "foo" },
          { name: "x", expression: "1" },
          { name: "y", expression: "variables.x + 1" },
          { name: "z", expression: "bar" },
        ],
      },
      [/^spec.variables\[0\].expression: .*'foo'/, /^spec.variables\[3\].expression: .*'bar'/],
    ],
    [
      "compiles variables that nobody can name",
      {
        variables: [{ name: "a-b", expression: "foo" }],
        validations: [{ expression: "variables.x == 1" }],
      },
      [
        /^spec.variables\[0\].name: /,
        /^spec.variables\[0\].expression: .*'foo'/,
        /^spec.validations\[0\].expression: .*undefined field 'x'/,
      ],
    ],
    [
      "cannot use variables in its match conditions",
      { variables: [{ name: "x", expression: "1" }], matchConditions: [{ name: "c", expression: "variables.x == 1" }] },
      [/^spec.matchConditions\[0\].expression: .*undeclared reference to 'variables'/],
    ],
    ["gives a truth", { validations: [{ expression: "1" }] }, [/must evaluate to bool but got int/]],
    ["gives no null", { validations: [{ expression: "null" }] }, [/must evaluate to bool but got null_type/]],
    [
      "can run",
      { validations: [{ expression: "bool('x')" }] },
      [/^spec.validations\[0\].expression: Internal error: program instantiation failed: type conversion error/],
    ],
    [
      "names variables that came before",
      { variables: [{ name: "a", expression: "variables.b" }], validations: [{ expression: "variables.a == 1" }] },
      [/^spec.variables\[0\].expression: .*undefined field 'b'/],
    ],
    ["has something to say", { validations: [] }, [/^spec.validations: Required/, /^spec.auditAnnotations: Required/]],
  ])("%s", (_what, spec, expected) => {
    const found = judge(spec);
    expect(found).toEqual(expected.map((words) => expect.stringMatching(words)));
  });
});

describe("a mutating policy", () => {
  const mutation = (patchType: string, expression: string) =>
    atOnce(
      validateMutatingPolicy(
        {
          metadata: { name: "m" },
          spec: {
            ...COMMON,
            reinvocationPolicy: "Never",
            mutations: [
              { patchType, [patchType === "JSONPatch" ? "jsonPatch" : "applyConfiguration"]: { expression } },
            ],
          },
        } as never,
        context,
      ),
    ).map(fieldErrorText);

  it.each<[string, string, RegExp | undefined]>([
    ["JSONPatch", "[JSONPatch{op: 'add', path: '/x', value: 'y'}]", undefined],
    ["JSONPatch", "object.x ? [JSONPatch{op: 'remove', path: '/x'}] : [JSONPatch{op: 'add', path: '/x'}]", undefined],
    ["JSONPatch", "[]", /jsonPatch.expression: .*must evaluate to list\(JSONPatch\) but got list\(dyn\)$/],
    ["JSONPatch", "'x'", /must evaluate to list\(JSONPatch\) but got string$/],
    ["ApplyConfiguration", "Object{spec: Object.spec{replicas: 1}}", undefined],
    ["ApplyConfiguration", "1", /applyConfiguration.expression: .*must evaluate to Object but got int$/],
    ["ApplyConfiguration", "Object.spec{replicas: 1}", /must evaluate to Object but got Object.spec$/],
  ])("of type %s with the expression %s", (type, expression, words) => {
    expect(mutation(type, expression)).toEqual(words === undefined ? [] : [expect.stringMatching(words)]);
  });
});
