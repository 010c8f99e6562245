// What configurations of webhooks are refused for: one row per rule, the same for both kinds.

import { describe, expect, it } from "vitest";
import { dns1035LabelProblems, dns1123SubdomainProblems, labelValueProblems } from "../../meta/name-formats.ts";
import type { Kind } from "../define-kind.ts";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { mutatingWebhookConfiguration } from "./mutating-webhook-configuration.ts";
import { validatingWebhookConfiguration } from "./validating-webhook-configuration.ts";

const SUBDOMAIN = dns1123SubdomainProblems("A")[0];
const RULE = { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] };
const WEBHOOK = {
  name: "a.b.test",
  clientConfig: { url: "https://h.test/x" },
  rules: [RULE],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};

const rule = (change: object) => ({ rules: [{ ...RULE, ...change }] });
const conditions = (...list: object[]) => ({ matchConditions: list });
const condition = (expression: string) => conditions({ name: "a", expression });
const configuration = (...webhooks: object[]) => ({
  metadata: { name: "c" },
  webhooks: webhooks.map((webhook) => ({ ...WEBHOOK, ...webhook })),
});

/** Rows: what is changed in a good webhook, and what is said of `webhooks[0]`. */
const rows: [object, string[]][] = [
  [{}, []],
  [{ name: "" }, ["name: Required value"]],
  [{ name: "A.b.test" }, [`name: Invalid value: "A.b.test": ${SUBDOMAIN}`]],
  [
    { name: "A".repeat(254) },
    [`name: Invalid value: "${"A".repeat(254)}": must be no more than 253 characters,${SUBDOMAIN}`],
  ],
  [
    { name: "b.test" },
    ['name: Invalid value: "b.test": should be a domain with at least three segments separated by dots'],
  ],
  [rule({ operations: [] }), ["rules[0].operations: Required value"]],
  [
    rule({ operations: ["*", "CREATE"] }),
    [`rules[0].operations: Invalid value: ["*","CREATE"]: if '*' is present, must not specify other operations`],
  ],
  [
    rule({ operations: ["PATCH"] }),
    [
      'rules[0].operations[0]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
    ],
  ],
  [rule({ apiGroups: [] }), ["rules[0].apiGroups: Required value"]],
  [
    rule({ apiGroups: ["*", "a"] }),
    [`rules[0].apiGroups: Invalid value: ["*","a"]: if '*' is present, must not specify other API groups`],
  ],
  [rule({ apiVersions: [] }), ["rules[0].apiVersions: Required value"]],
  [
    rule({ apiVersions: ["*", "v1"] }),
    [`rules[0].apiVersions: Invalid value: ["*","v1"]: if '*' is present, must not specify other API versions`],
  ],
  [rule({ apiVersions: [""] }), ["rules[0].apiVersions[0]: Required value"]],
  [rule({ resources: [] }), ["rules[0].resources: Required value"]],
  [rule({ resources: [""] }), ["rules[0].resources[0]: Required value"]],
  [
    rule({ resources: ["pods/*", "pods/status"] }),
    [`rules[0].resources[1]: Invalid value: "pods/status": if 'pods/*' is present, must not specify pods/status`],
  ],
  [
    rule({ resources: ["*/status", "pods/status"] }),
    [`rules[0].resources[1]: Invalid value: "pods/status": if '*/status' is present, must not specify pods/status`],
  ],
  [
    rule({ resources: ["*/*", "pods"] }),
    [`rules[0].resources: Invalid value: ["*/*","pods"]: if '*/*' is present, must not specify other resources`],
  ],
  [
    rule({ resources: ["*", "pods"] }),
    [
      `rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
    ],
  ],
  [rule({ resources: ["*", "pods/status"] }), []],
  [
    rule({ scope: "Galaxy" }),
    ['rules[0].scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"'],
  ],
  [{ failurePolicy: "Retry" }, ['failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"']],
  [{ failurePolicy: "" }, ['failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"']],
  [{ matchPolicy: "Loose" }, ['matchPolicy: Unsupported value: "Loose": supported values: "Equivalent", "Exact"']],
  [{ sideEffects: null }, ["sideEffects: Required value: must specify one of None, NoneOnDryRun"]],
  [{ sideEffects: "" }, ['sideEffects: Unsupported value: "": supported values: "None", "NoneOnDryRun"']],
  [{ sideEffects: "Some" }, ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"']],
  [{ timeoutSeconds: 0 }, ["timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds"]],
  [{ timeoutSeconds: 30 }, []],
  [{ timeoutSeconds: 31 }, ["timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds"]],
  [
    { namespaceSelector: { matchExpressions: [{ key: "a", operator: "In" }] } },
    [
      "namespaceSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
    ],
  ],
  [
    { objectSelector: { matchExpressions: [{ key: "a", operator: "X" }] } },
    ['objectSelector.matchExpressions[0].operator: Invalid value: "X": not a valid selector operator'],
  ],
  [{ clientConfig: {} }, ["clientConfig: Required value: exactly one of url or service is required"]],
  [
    { clientConfig: { url: "https://h.test", service: { name: "s", namespace: "n" } } },
    ["clientConfig: Required value: exactly one of url or service is required"],
  ],
  [
    { clientConfig: { url: "https:///x" } },
    ['clientConfig.url: Invalid value: "": host must be specified; desired format: https://host[/path]'],
  ],
  [
    { clientConfig: { service: { name: "s", namespace: "n", port: 0 } } },
    ["clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive"],
  ],
  [
    conditions(...Array.from({ length: 65 }, (_, i) => ({ name: `c${i}`, expression: "true" }))),
    ["matchConditions: Too many: 65: must have at most 64 items"],
  ],
  [conditions({ name: "", expression: "true" }), ["matchConditions[0].name: Required value"]],
  [
    conditions({ name: "a", expression: "true" }, { name: "a", expression: "true" }),
    ['matchConditions[1].name: Duplicate value: "a"'],
  ],
  [condition(" \n"), ["matchConditions[0].expression: Required value"]],
  [condition("1"), ['matchConditions[0].expression: Invalid value: "1": must evaluate to bool but got int']],
  [
    condition(" foo "),
    [
      `matchConditions[0].expression: Invalid value: "foo": compilation failed: ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^`,
    ],
  ],
  [
    condition("params.x"),
    [
      `matchConditions[0].expression: Invalid value: "params.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^`,
    ],
  ],
  [condition("namespaceObject == null"), []],
  [{ admissionReviewVersions: [] }, ["admissionReviewVersions: Required value: must specify one of v1, v1beta1"]],
  [{ admissionReviewVersions: ["v1", "v1"] }, ['admissionReviewVersions[1]: Invalid value: "v1": duplicate version']],
  [
    { admissionReviewVersions: ["v1", "1"] },
    [`admissionReviewVersions[1]: Invalid value: "1": ${dns1035LabelProblems("1")[0]}`],
  ],
  [
    { admissionReviewVersions: ["v2"] },
    ['admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1'],
  ],
  [{ admissionReviewVersions: ["v2", "v1beta1"] }, []],
];

describe.each([
  ["mutating", mutatingWebhookConfiguration as Kind],
  ["validating", validatingWebhookConfiguration as Kind],
])("a configuration of %s webhooks", (_what, kind) => {
  const changed = (now: object, old: object) => updateErrors(kind, configuration(now), configuration(old));

  it.each(rows)("with %j", (change, errors) => {
    expect(createErrors(kind, configuration(change))).toEqual(errors.map((error) => `webhooks[0].${error}`));
  });

  it("names each webhook once, and minds no missing names", () => {
    expect(createErrors(kind, configuration({}, {}))).toEqual(['webhooks[1].name: Duplicate value: "a.b.test"']);
    expect(createErrors(kind, configuration({ name: "" }, { name: "" }))).toEqual([
      "webhooks[0].name: Required value",
      "webhooks[1].name: Required value",
    ]);
  });

  const badValue = { matchExpressions: [{ key: "a", operator: "In", values: ["a b"] }] };

  it.each<[string, object]>([
    ["side effects", { sideEffects: "Some" }],
    ["a review version that nobody knows", { admissionReviewVersions: ["v2"] }],
    ["a bad value in a selector", { objectSelector: badValue }],
    ["conditions that do not compile", condition("foo")],
  ])("keeps %s that it had, and gets none", (_had, odd) => {
    expect(changed({ ...odd, timeoutSeconds: 5 }, odd)).toEqual([]);
    expect(changed(odd, {})).toHaveLength(1);
  });

  it("keeps repeated names", () => {
    expect(updateErrors(kind, configuration({ timeoutSeconds: 5 }, {}), configuration({}, {}))).toEqual([]);
    expect(updateErrors(kind, configuration({}, {}), configuration({}))).toHaveLength(1);
  });

  it("says which side effects are left to one that had others", () => {
    expect(changed({ sideEffects: null }, { sideEffects: "Some" })).toEqual([
      "webhooks[0].sideEffects: Required value: must specify one of None, NoneOnDryRun, Some, Unknown",
    ]);
  });

  it("looks at all conditions again when one of them changes", () => {
    const both = (expression: string) => conditions({ name: "a", expression: "foo" }, { name: "b", expression });
    expect(changed(both("false"), both("true"))).toEqual([expect.stringContaining("matchConditions[0].expression")]);
  });
});

describe("a configuration of mutating webhooks", () => {
  it.each(["Sometimes", ""])("has no reinvocation policy %j", (reinvocationPolicy) => {
    expect(createErrors(mutatingWebhookConfiguration as Kind, configuration({ reinvocationPolicy }))).toEqual([
      `webhooks[0].reinvocationPolicy: Unsupported value: "${reinvocationPolicy}": supported values: "IfNeeded", "Never"`,
    ]);
  });

  it("says what is wrong with values of labels", () => {
    const webhook = { namespaceSelector: { matchLabels: { a: "b c" } } };
    expect(createErrors(mutatingWebhookConfiguration as Kind, configuration(webhook))).toEqual([
      `webhooks[0].namespaceSelector.matchLabels: Invalid value: "b c": ${labelValueProblems("b c")[0]}`,
    ]);
  });
});
