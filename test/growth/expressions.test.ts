// Every place where a built-in kind takes expressions, with many long ones, and where those are first used: no more of them are compiled between two turns
// than others can wait for, and each is compiled stage by stage.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PluginParts } from "../../src/admission/plugin-parts.ts";
import { MUTATING_POLICIES, PolicySet } from "../../src/admission/policies/policy-set.ts";
import { WebhookSet } from "../../src/admission/webhooks/webhook-set.ts";
import { asSlowWork } from "../../src/base/steps.testing.ts";
import { atOnce, type Steps, whole } from "../../src/base/steps.ts";
import { apiEnvironment } from "../../src/cel/api-environment.ts";
import { Environment } from "../../src/cel/environment.ts";
import { mutatingAdmissionPolicy } from "../../src/kinds/admissionregistration/mutating-admission-policy.ts";
import { mutatingWebhookConfiguration } from "../../src/kinds/admissionregistration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicy } from "../../src/kinds/admissionregistration/validating-admission-policy.ts";
import { validatingWebhookConfiguration } from "../../src/kinds/admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinition } from "../../src/kinds/apiextensions/custom-resource-definition.ts";
import { completed, context } from "../../src/kinds/complete.testing.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import { deviceClass } from "../../src/kinds/resource/device-class.ts";
import { deviceTaintRule } from "../../src/kinds/resource/device-taint-rule.ts";
import { resourceClaim } from "../../src/kinds/resource/resource-claim.ts";
import { resourceClaimTemplate } from "../../src/kinds/resource/resource-claim-template.ts";
import { schemaFromCrd } from "../../src/schema/from-crd.ts";
import { BOOLEAN, TEXT } from "../../src/schema/policy-expressions.ts";
import { typeWarnings } from "../../src/schema/policy-type-checking.ts";
import { evaluateRules, ruleTreeOf } from "../../src/schema/rule-evaluation.ts";

const MAX_CHARACTERS_PER_STEP = 20_000;
const LENGTH = 9_000;
const COUNT = 12;

/** Says yes, in so many characters; no two are alike. */
const long = (index: number): string => `${"true || ".repeat(LENGTH / 8)}${index} == 1`;
const longText = (index: number): string => `${'"a" + '.repeat(LENGTH / 6)}"${index}"`;
const times = <T>(make: (index: number) => T): T[] => Array.from({ length: COUNT }, (_, index) => make(index));

const named = times((index) => ({ name: `n${index}`, expression: long(index) }));
const selectors = times((index) => ({ cel: { expression: long(index) } }));
const matchConstraints = {
  resourceRules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["pods"] }],
};
const webhook = {
  name: "a.b.test",
  clientConfig: { url: "https://h.test/x" },
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
};
const webhooks = { webhooks: [{ ...webhook, matchConditions: named }] };
const policy = (spec: object) => ({ spec: { matchConstraints, ...spec } });
const devices = { requests: [{ name: "r", exactly: { deviceClassName: "c", selectors } }] };
const definition = (rules: object[]) => ({
  spec: {
    group: "a.test",
    scope: "Namespaced",
    names: { plural: "as", kind: "A" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-validations": rules } },
      },
    ],
  },
});

let characters = 0;

beforeEach(() => {
  const compile = Environment.prototype.compileInSteps;
  vi.spyOn(Environment.prototype, "compileInSteps").mockImplementation(function* (this: Environment, text, options) {
    characters += text.length;
    return yield* compile.call(this, text, options);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

const PLACES: readonly [string, Kind<never>, object][] = [
  ["validations", validatingAdmissionPolicy, policy({ validations: named })],
  [
    "messages",
    validatingAdmissionPolicy,
    policy({ validations: times((index) => ({ expression: "true", messageExpression: longText(index) })) }),
  ],
  ["variables", validatingAdmissionPolicy, policy({ variables: named, validations: [{ expression: "true" }] })],
  ["conditions", validatingAdmissionPolicy, policy({ matchConditions: named, validations: [{ expression: "true" }] })],
  [
    "annotations",
    validatingAdmissionPolicy,
    policy({
      auditAnnotations: times((index) => ({ key: `k${index}`, valueExpression: longText(index).slice(-5_000) })),
    }),
  ],
  [
    "mutations",
    mutatingAdmissionPolicy,
    policy({ mutations: named.map(({ expression }) => ({ patchType: "JSONPatch", jsonPatch: { expression } })) }),
  ],
  ["conditions", validatingWebhookConfiguration, webhooks],
  ["conditions", mutatingWebhookConfiguration, webhooks],
  ["selectors", deviceClass, { spec: { selectors } }],
  ["selectors", resourceClaim, { spec: { devices } }],
  ["selectors", resourceClaimTemplate, { spec: { spec: { devices } } }],
  ["selectors", deviceTaintRule, { spec: { deviceSelector: { selectors }, taint: { key: "a", effect: "NoExecute" } } }],
  ["rules", customResourceDefinition, definition(times((index) => ({ rule: long(index), message: "m" })))],
  [
    "messages",
    customResourceDefinition,
    definition(times((index) => ({ rule: "true", messageExpression: longText(index) }))),
  ],
] as [string, Kind<never>, object][];

it.each(PLACES.map(([what, kind, body]) => ({ what, kind, body })))("$what of $kind.kind", ({ kind, body }) => {
  const object = completed(kind, body as never);
  const judging: Steps<unknown[]> = whole(kind.hooks!.validate!(object, context));
  expect(mostPerStep(judging)).toBeLessThan(MAX_CHARACTERS_PER_STEP);
});

/** The most that is compiled in one step; all of it is much. */
function mostPerStep(steps: Steps<unknown>): number {
  let [most, total] = [0, 0];
  for (let isOver = false; !isOver; ) {
    characters = 0;
    isOver = steps.next().done === true;
    most = Math.max(most, characters);
    total += characters;
  }
  expect(total).toBeGreaterThan(COUNT * 4_000);
  return most;
}

/** The most that is compiled in one turn of the event loop. */
async function mostPerTurn(work: () => Promise<unknown>): Promise<number> {
  let most = 0;
  let isOver = false;
  const look = (): void => {
    most = Math.max(most, characters);
    characters = 0;
    if (!isOver) setImmediate(look);
  };
  characters = 0;
  setImmediate(look);
  // Every look at the clock finds that the turn has been long.
  await asSlowWork(10, work);
  isOver = true;
  return Math.max(most, characters);
}

const parts = (object: object) =>
  ({
    names: context.names,
    gateEnabled: context.gateEnabled,
    mirrors: {
      projected: (_group: string, _version: string, resource: string, { project }: { project(one: object): unknown }) =>
        new Map([
          [
            "a",
            project(resource.endsWith("bindings") ? { metadata: { name: "b" }, spec: { policyName: "a" } } : object),
          ],
        ]),
    },
  }) as unknown as PluginParts;

it.each([
  ["variables", { variables: named }],
  ["conditions", { matchConditions: named }],
  ["validations", { validations: named }],
  ["messages", { validations: times((index) => ({ expression: "true", messageExpression: longText(index) })) }],
  ["annotations", { auditAnnotations: times((index) => ({ key: "k", valueExpression: longText(index) })) }],
  ["mutations", { mutations: named.map(({ expression }) => ({ jsonPatch: { expression } })) }],
])("%s of a policy are compiled in turns by the first request, and kept", async (_, spec) => {
  const [policy] = new PolicySet(parts({ metadata: { name: "a" }, spec }), MUTATING_POLICIES).all();
  expect(await mostPerTurn(async () => policy!.expressions.get({}))).toBeLessThan(MAX_CHARACTERS_PER_STEP);
  const made = policy!.expressions.get({});
  expect(made).not.toBeInstanceOf(Promise);
  characters = 0;
  const { environment } = await made;
  for (const { expression, messageExpression } of (spec as { validations?: LongValidation[] }).validations ?? []) {
    environment.compile(expression, BOOLEAN);
    if (messageExpression !== undefined) environment.compile(messageExpression, TEXT);
  }
  expect(characters).toBe(0);
});

interface LongValidation {
  readonly expression: string;
  readonly messageExpression?: string;
}

it("conditions of a webhook are compiled in turns by the first request", async () => {
  const object = { metadata: { name: "a" }, webhooks: [{ ...webhook, matchConditions: named }] };
  const [found] = new WebhookSet(parts(object), "validatingwebhookconfigurations").all();
  expect(await mostPerTurn(async () => found!.conditions.get({}))).toBeLessThan(MAX_CHARACTERS_PER_STEP);
  expect(await found!.conditions.get({})).toHaveLength(COUNT);
});

it.each([
  ["rules", times((index) => ({ rule: long(index), message: "m" }))],
  ["messages", times((index) => ({ rule: `${index} > 100`, messageExpression: longText(index) }))],
])("%s of a definition are compiled in steps by the first object", (_, rules) => {
  const root = schemaFromCrd({ type: "object", "x-kubernetes-validations": rules } as never);
  const judging = evaluateRules({ a: 1 }, atOnce(ruleTreeOf(root, { namespace: "kubernetes" }))!);
  expect(mostPerStep(judging)).toBeLessThan(MAX_CHARACTERS_PER_STEP);
});

it("what a policy says is held against kinds in steps", () => {
  const kind = { group: "", version: "v1", kind: "ConfigMap", schema: schemaFromCrd({ type: "object" } as never) };
  const kinds = { ofResource: () => kind, named: () => kind };
  const judging = typeWarnings("kubernetes", kinds, { matchConstraints, validations: named });
  expect(mostPerStep(judging)).toBeLessThan(MAX_CHARACTERS_PER_STEP);
});

it("an expression takes several steps, whatever its length, and one that is known takes one", () => {
  const environment = apiEnvironment({ minor: 34, namespace: "kubernetes" });
  const steps = (text: string): number => {
    const compiling = environment.compileInSteps(text);
    let count = 1;
    while (compiling.next().done !== true) count += 1;
    return count;
  };
  expect(steps(`${"true || ".repeat(2_000)}1 == 1`)).toBe(6);
  expect(steps("1 == 1")).toBe(6);
  expect(steps("1 == 1")).toBe(1);
  expect(atOnce(environment.compileInSteps("1 == 1"))).toBe(environment.compile("1 == 1"));
});
