// One policy against one request with one parameter object: what its expressions say. Pure.

import type { Steps } from "../../base/steps.ts";
import { CostBudget } from "../../cel/cost-budget.ts";
import { CelError } from "../../cel/errors.ts";
import { REQUEST_COST_LIMIT } from "../../cel/limits.ts";
import type { CelValue } from "../../cel/values.ts";
import type { ValidatingAdmissionPolicySpec } from "../../kinds/admissionregistration/validating-admission-policy-schema.ts";
import { BOOLEAN, type PolicyEnvironment, TEXT, TEXT_OR_NULL } from "../../schema/policy-expressions.ts";
import { meetsConditions } from "../matching/match-conditions.ts";
import { LazyVariables } from "./lazy-variables.ts";
import type { PolicyExpressions } from "./policy-set.ts";

/** A longer message is not shown; the fixed one takes its place. */
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_ANNOTATION_BYTES = 10 * 1024;
const MS_PER_SECOND = 1000;

export interface Denial {
  readonly message: string;
  /** Reason of the answer; empty means Invalid. */
  readonly reason: string;
  /** Which validation it was; 0 for match conditions and what concerns the whole policy. */
  readonly index: number;
  readonly seconds: number;
  /** An annotation could not be worked out: that denies, whatever the binding wants done about validations. */
  readonly always?: boolean;
}

export interface PolicyVerdict {
  readonly denials: readonly Denial[];
  /** What went wrong and is passed over. */
  readonly ignored: readonly Pick<Denial, "message" | "seconds">[];
  readonly annotations: ReadonlyMap<string, string>;
  /** Undefined: there were no match conditions. */
  readonly conditions: ConditionVerdict | undefined;
}

interface ConditionVerdict {
  readonly excluded: boolean;
  readonly errors: number;
  readonly seconds: number;
}

export type Activation = Readonly<Record<string, unknown>>;

interface Policy extends PolicyExpressions {
  readonly spec: ValidatingAdmissionPolicySpec;
}

export function* evaluatePolicy(policy: Policy, given: Activation): Steps<PolicyVerdict> {
  const startMs = performance.now();
  const outcome = yield* meetsConditions(policy.conditions, conditionActivation(given));
  const failed = "error" in outcome;
  const strict = policy.spec.failurePolicy !== "Ignore";
  const seconds = secondsSince(startMs);
  const excluded = failed ? !strict : !outcome.matches;
  const conditions =
    policy.conditions.length === 0 ? undefined : { excluded, errors: failed ? outcome.errors : 0, seconds };
  const nothing = { denials: [], ignored: [], annotations: new Map<string, string>(), conditions };
  if (excluded) return nothing;
  if (failed) return { ...nothing, denials: [{ message: outcome.error, reason: "", index: 0, seconds: 0 }] };
  const budget = newBudget();
  const activation = withVariables(policy.environment, given, budget);
  const validated = yield* validate(policy, activation, budget);
  if (typeof validated === "string") {
    const failure = { message: validated, reason: "", index: 0, seconds: 0 };
    return strict ? { ...nothing, denials: [failure] } : { ...nothing, ignored: [failure] };
  }
  const { annotations, failures } = yield* annotate(policy, given);
  const failuresHere = validated.filter(({ failure }) => failure).map(({ denial }) => denial);
  return {
    conditions,
    annotations,
    ignored: strict ? [] : failuresHere,
    denials: [
      ...validated.filter(({ failure }) => strict || !failure).map(({ denial }) => denial),
      ...(strict ? failures : []),
    ],
  };
}

/** Match conditions see neither the namespace nor variables, though the one has a name there: as upstream. */
export const conditionActivation = (given: Activation): Activation => ({ ...given, namespaceObject: null });

/** `failure`: the expression could not be evaluated, the failure policy decides. A text: the budget ran out. */
function* validate(
  { spec, environment }: Policy,
  activation: Activation,
  budget: CostBudget,
): Steps<readonly { readonly denial: Denial; readonly failure: boolean }[] | string> {
  const found: { denial: Denial; failure: boolean }[] = [];
  for (const [index, { expression, message, messageExpression, reason }] of (spec.validations ?? []).entries()) {
    if (budget.turnIsDue()) yield;
    const startMs = performance.now();
    const value = yield* evaluate(environment, expression, BOOLEAN, activation, budget);
    const seconds = secondsSince(startMs);
    if (value instanceof CelError) {
      if (value.code === "budget") return value.message;
      found.push({ denial: { message: failureText(expression, value), reason: "", index, seconds }, failure: true });
    } else if (value !== true) {
      const dynamic = messageExpression
        ? yield* messageOf(environment, messageExpression, activation, budget)
        : undefined;
      const text = dynamic ?? ((message ?? "").trim() || `failed expression: ${expression.trim()}`);
      found.push({ denial: { message: text, reason: reason ?? "", index, seconds }, failure: false });
    }
  }
  return found;
}

function* annotate(
  { spec, environment }: Policy,
  given: Activation,
): Steps<{ annotations: Map<string, string>; failures: Denial[] }> {
  const annotations = new Map<string, string>();
  const failures: Denial[] = [];
  const budget = newBudget();
  const activation = withVariables(environment, given, budget);
  for (const { key, valueExpression } of spec.auditAnnotations ?? []) {
    if (budget.turnIsDue()) yield;
    const startMs = performance.now();
    const value = yield* evaluate(environment, valueExpression, TEXT_OR_NULL, activation, budget);
    if (value instanceof CelError) {
      const message = failureText(valueExpression, value);
      failures.push({ message, reason: "", index: 0, seconds: secondsSince(startMs), always: true });
    } else if (typeof value === "string" && value.trim() !== "") annotations.set(key, truncate(value.trim()));
  }
  return { annotations, failures };
}

/** Match conditions, validations and annotations each have the whole of it. */
export const newBudget = (): CostBudget => new CostBudget(REQUEST_COST_LIMIT);

export const secondsSince = (startMs: number): number => (performance.now() - startMs) / MS_PER_SECOND;

export function withVariables(environment: PolicyEnvironment, given: Activation, budget: CostBudget): Activation {
  const activation: Record<string, unknown> = { ...given };
  activation["variables"] = new LazyVariables(environment, activation, budget);
  return activation;
}

/** What evaluating an expression failed with, as answers tell it. */
export function failureText(expression: string, { message, code }: CelError): string {
  if (code === "budget" || message.startsWith(NOT_COMPILED)) return message;
  return `expression '${expression}' resulted in error: ${message}`;
}

const NOT_COMPILED = "compilation error: ";

export function* evaluate(
  environment: PolicyEnvironment,
  expression: string,
  wanted: Parameters<PolicyEnvironment["compile"]>[1],
  activation: Activation,
  budget: CostBudget,
): Steps<CelValue> {
  const compiled = environment.compile(expression, wanted);
  return compiled.ok
    ? yield* compiled.program.evaluateInSteps(activation, { budget })
    : new CelError(`${NOT_COMPILED}${compiled.error}`);
}

/** Undefined when it is no text that can be shown. */
function* messageOf(
  environment: PolicyEnvironment,
  expression: string,
  activation: Activation,
  budget: CostBudget,
): Steps<string | undefined> {
  const value = yield* evaluate(environment, expression, TEXT, activation, budget);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const fits = text !== "" && !/\n/.test(text) && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  return fits ? text : undefined;
}

function truncate(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_ANNOTATION_BYTES ? text : bytes.subarray(0, MAX_ANNOTATION_BYTES).toString("utf8");
}
