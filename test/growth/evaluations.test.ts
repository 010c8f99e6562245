// Expressions that are dear to evaluate, wherever several of them judge one object: others have their turn between two of
// them, and while one of them is evaluated.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { compileConditions, meetsConditions } from "../../src/admission/matching/match-conditions.ts";
import { evaluatePolicy } from "../../src/admission/policies/evaluate-policy.ts";
import { atOnce, type Steps } from "../../src/base/steps.ts";
import { Program } from "../../src/cel/program.ts";
import { schemaFromCrd } from "../../src/schema/from-crd.ts";
import { policyEnvironment } from "../../src/schema/policy-expressions.ts";
import { evaluateRules, ruleTreeOf } from "../../src/schema/rule-evaluation.ts";

const COUNT = 6;
/** Each of them costs more than others can wait for. */
const object = { data: Object.fromEntries(Array.from({ length: 30_000 }, (_, index) => [`k${index}`, "v"])) };
const dear = (index: number): string => `object.data.all(k, k != 'x${index}')`;
const dearTexts = Array.from({ length: COUNT }, (_, index) => dear(index));
const cheapTexts = Array.from({ length: COUNT }, (_, index) => `object.data.k${index} == 'v'`);

let begun = 0;

beforeEach(() => {
  const begin = Program.prototype.begin;
  vi.spyOn(Program.prototype, "begin").mockImplementation(function (this: Program, ...args) {
    begun += 1;
    return begin.apply(this, args);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** How many are begun in each step; all of them. */
function perStep(steps: Steps<unknown>): number[] {
  const counts: number[] = [];
  for (let isOver = false; !isOver; ) {
    begun = 0;
    isOver = steps.next().done === true;
    counts.push(begun);
  }
  return counts;
}

const environment = policyEnvironment({ dialect: "kubernetes", minor: 34, params: false, authorizerSelectors: true });
const named = (texts: readonly string[]) => texts.map((expression, index) => ({ name: `n${index}`, expression }));
const conditionsOf = (texts: readonly string[]) => atOnce(compileConditions(environment, named(texts)));
const policyOf = (spec: object) =>
  evaluatePolicy({ spec, environment, conditions: [] } as unknown as Parameters<typeof evaluatePolicy>[0], { object });
const annotation = (expression: string) => ({ key: "k", valueExpression: `${expression} ? 'a' : 'b'` });
const rulesOf = (texts: readonly string[]) => {
  const data = { type: "object", additionalProperties: { type: "string" } };
  const rules = texts.map((text) => ({
    rule: text.replaceAll("object.", "self.").replace(/data\.(k\d)/, "data['$1']"),
  }));
  const schema = { type: "object", properties: { data }, "x-kubernetes-validations": rules };
  return atOnce(ruleTreeOf(schemaFromCrd(schema as never), { namespace: "kubernetes" }))!;
};
const ofRules = (texts: readonly string[]) => {
  const tree = rulesOf(texts);
  atOnce(tree.compile());
  return evaluateRules(object, tree);
};

/** Each is begun in a step of its own, and goes on in at least one more. */
function expectApart(counts: readonly number[]): void {
  expect(counts.filter((count) => count > 0)).toEqual(Array.from({ length: COUNT }, () => 1));
  expect(counts.length).toBeGreaterThanOrEqual(2 * COUNT);
}

it.each<[string, (texts: readonly string[]) => Steps<unknown>]>([
  ["match conditions", (texts) => meetsConditions(conditionsOf(texts), { object })],
  ["validations", (texts) => policyOf({ validations: texts.map((expression) => ({ expression })) })],
  ["annotations", (texts) => policyOf({ auditAnnotations: texts.map(annotation) })],
])("%s that are dear have a step each, cheap ones one together", (_, work) => {
  expectApart(perStep(work(dearTexts)));
  expect(perStep(work(cheapTexts))).toEqual([COUNT]);
});

it("rules of a definition that are dear have a step each", () => {
  expectApart(perStep(ofRules(dearTexts)));
  expect(Math.max(...perStep(ofRules(cheapTexts)))).toBe(COUNT);
});
