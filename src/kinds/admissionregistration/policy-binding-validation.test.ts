// What bindings of policies are refused for: one row per rule, those of both kinds first.

import { describe, expect, it } from "vitest";
import { dns1123SubdomainProblems, labelKeyProblems } from "../../meta/name-formats.ts";
import type { Kind } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { mutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding.ts";
import { validatingAdmissionPolicyBinding } from "./validating-admission-policy-binding.ts";

const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const LABEL_KEY = labelKeyProblems("a b")[0];
const SUPPORTED = '"*", "CONNECT", "CREATE", "DELETE", "UPDATE"';

const paramRef = (change: object) => ({ paramRef: { name: "n", parameterNotFoundAction: "Deny", ...change } });
const rule = (change: object) => ({ matchResources: { resourceRules: [{ ...RULE, ...change }] } });
const binding = (spec: object) => ({ metadata: { name: "b" }, spec: { policyName: "p", ...spec } });

/** Rows: what is changed in a good binding, and what is said of its `spec`. */
const rows: [object, string[]][] = [
  [{}, []],
  [{ policyName: "" }, ["policyName: Required value"]],
  [{ policyName: "A" }, [`policyName: Invalid value: "A": ${dns1123SubdomainProblems("A")[0]}`]],
  [paramRef({}), []],
  [paramRef({ name: "a/b" }), [`paramRef.name: Invalid value: "a/b": may not contain '/'`]],
  [paramRef({ name: ".." }), [`paramRef.name: Invalid value: "..": may not be '..'`]],
  [
    paramRef({ selector: {} }),
    [
      "paramRef.name: Forbidden: name and selector are mutually exclusive",
      "paramRef.selector: Forbidden: name and selector are mutually exclusive",
    ],
  ],
  [paramRef({ name: "", selector: {} }), []],
  [
    paramRef({ name: "", selector: { matchLabels: { "a b": "x" } } }),
    [`paramRef.selector.matchLabels: Invalid value: "a b": ${LABEL_KEY}`],
  ],
  [paramRef({ name: "" }), ["paramRef: Required value: one of name or selector must be specified"]],
  [{ paramRef: { name: "n" } }, ["paramRef.parameterNotFoundAction: Required value"]],
  [paramRef({ parameterNotFoundAction: "" }), ["paramRef.parameterNotFoundAction: Required value"]],
  [
    paramRef({ parameterNotFoundAction: "Skip" }),
    ['paramRef.parameterNotFoundAction: Unsupported value: "Skip": supported values: "Deny", "Allow"'],
  ],
  [
    { matchResources: { matchPolicy: "Loose" } },
    ['matchResources.matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"'],
  ],
  [
    { matchResources: { namespaceSelector: { matchLabels: { "a b": "" } } } },
    [`matchResources.namespaceSelector.matchLabels: Invalid value: "a b": ${LABEL_KEY}`],
  ],
  [
    { matchResources: { objectSelector: { matchExpressions: [{ key: "a", operator: "X" }] } } },
    ['matchResources.objectSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator'],
  ],
  [
    { matchResources: { resourceRules: [{}] } },
    ["operations", "apiGroups", "apiVersions", "resources"].map(
      (field) => `matchResources.resourceRules[0].${field}: Required value`,
    ),
  ],
  [
    { matchResources: { excludeResourceRules: [{ ...RULE, operations: ["PATCH"] }] } },
    [
      `matchResources.excludeResourceRules[0].operations[0]: Unsupported value: "PATCH": supported values: ${SUPPORTED}`,
    ],
  ],
  [
    rule({ resourceNames: ["a/b"] }),
    [`matchResources.resourceRules[0].resourceNames[0]: Invalid value: "a/b": may not contain '/'`],
  ],
  [rule({ resourceNames: ["a", "a"] }), ['matchResources.resourceRules[0].resourceNames[1]: Duplicate value: "a"']],
  [
    rule({ scope: "X" }),
    ['matchResources.resourceRules[0].scope: Unsupported value: "X": supported values: "*", "Cluster", "Namespaced"'],
  ],
];

describe.each([
  ["validating", validatingAdmissionPolicyBinding as Kind, { validationActions: ["Deny"] }],
  ["mutating", mutatingAdmissionPolicyBinding as Kind, {}],
])("a binding of a %s policy", (_what, kind, good) => {
  it.each(rows)("with %j", (change, errors) => {
    const draft = binding({ ...good, ...change });
    const expected = errors.map((error) => `spec.${error}`);
    expect(createErrors(kind, draft)).toEqual(expected);
    expect(updateErrors(kind, draft, binding(good))).toEqual(expected);
  });
});

describe("the actions of a binding", () => {
  const both =
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";

  it.each<[string[], string[]]>([
    [["Audit", "Warn"], []],
    [[], [": Required value: at least one validation action is required"]],
    [["Log"], ['[0]: Unsupported value: "Log": supported values: "Audit", "Deny", "Warn"']],
    [["Deny", "Deny"], ['[1]: Duplicate value: "Deny"']],
    [["Deny", "Warn"], [`: Invalid value: ["Deny","Warn"]: ${both}`]],
  ])("%j", (validationActions, errors) => {
    expect(createErrors(validatingAdmissionPolicyBinding as Kind, binding({ validationActions }))).toEqual(
      errors.map((error) => `spec.validationActions${error}`),
    );
  });
});

describe("the operations that a binding changes", () => {
  const mutable = '"*", "CONNECT", "CREATE", "UPDATE"';

  it.each<[string, string[]]>([
    ["*", []],
    ["CONNECT", []],
    ["DELETE", [`.operations: Unsupported value: "DELETE": supported values: ${mutable}`]],
    [
      "PATCH",
      [
        `[0].operations[0]: Unsupported value: "PATCH": supported values: ${SUPPORTED}`,
        `.operations: Unsupported value: "PATCH": supported values: ${mutable}`,
      ],
    ],
  ])("%s", (operation, errors) => {
    const draft = binding(rule({ operations: [operation] }));
    expect(createErrors(mutatingAdmissionPolicyBinding as Kind, draft)).toEqual(
      errors.map((error) => `spec.matchResources.resourceRules${error}`),
    );
  });

  it("may be left out whatever they are", () => {
    const matchResources = { excludeResourceRules: [{ ...RULE, operations: ["DELETE"] }] };
    expect(createErrors(mutatingAdmissionPolicyBinding as Kind, binding({ matchResources }))).toEqual([]);
  });
});
