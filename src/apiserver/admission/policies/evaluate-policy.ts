// One policy against one request with one parameter object: what its expressions say. Pure.

import { CelError } from "../../../cel/errors.ts";
import { REQUEST_COST_LIMIT } from "../../../cel/limits.ts";
import { CostBudget } from "../../../cel/program.ts";
import type { ValidatingAdmissionPolicySpec } from "../../../kinds/admissionregistration/validating-admission-policy-schema.ts";
import { BOOLEAN, type PolicyEnvironment, TEXT, TEXT_OR_NULL } from "../../../schema/policy-expressions.ts";
import { meetsConditions } from "../matching/match-conditions.ts";
import { LazyVariables } from "./lazy-variables.ts";
import type { BoundPolicy } from "./policy-set.ts";

/** A longer message is not shown; the fixed one takes its place. */
const MAX_MESSAGE_BYTES = 5 * 1024;
const MAX_ANNOTATION_BYTES = 10 * 1024;

export interface Denial {
  readonly message: string;
  /** Reason of the answer; empty means Invalid. */
  readonly reason: string;
  /** Which validation it was; undefined for match conditions and audit annotations. */
  readonly index?: number;
}

export interface PolicyVerdict {
  readonly denials: readonly Denial[];
  readonly annotations: ReadonlyMap<string, string>;
}

const NOTHING: PolicyVerdict = { denials: [], annotations: new Map() };

export type Activation = Readonly<Record<string, unknown>>;

export function evaluatePolicy(policy: BoundPolicy<ValidatingAdmissionPolicySpec>, given: Activation): PolicyVerdict {
  const environment = policy.environment();
  const strict = policy.spec.failurePolicy !== "Ignore";
  const conditions = meetsConditions(policy.conditions(), withVariables(environment, given, newBudget()));
  if ("error" in conditions)
    return strict ? { ...NOTHING, denials: [{ message: conditions.error, reason: "" }] } : NOTHING;
  if (!conditions.matches) return NOTHING;

  const budget = newBudget();
  const activation = withVariables(environment, given, budget);
  const denials: Denial[] = [];
  (policy.spec.validations ?? []).forEach(({ expression, message, messageExpression, reason }, index) => {
    const value = evaluate(environment, expression, BOOLEAN, activation, budget);
    if (value instanceof CelError) {
      if (strict)
        denials.push({ message: `expression '${expression}' resulted in error: ${value.message}`, reason: "", index });
    } else if (value !== true) {
      const dynamic = messageExpression ? messageOf(environment, messageExpression, activation, budget) : undefined;
      const text = dynamic ?? ((message ?? "").trim() || `failed expression: ${expression.trim()}`);
      denials.push({ message: text, reason: reason ?? "", index });
    }
  });

  const annotations = new Map<string, string>();
  for (const { key, valueExpression } of policy.spec.auditAnnotations ?? []) {
    const value = evaluate(environment, valueExpression, TEXT_OR_NULL, activation, budget);
    if (value instanceof CelError) {
      if (strict)
        denials.push({ message: `expression '${valueExpression}' resulted in error: ${value.message}`, reason: "" });
    } else if (typeof value === "string") {
      const text = value.trim();
      if (text !== "") annotations.set(`${policy.name}/${key}`, truncate(text));
    }
  }
  return { denials, annotations };
}

/** Match conditions, validations and annotations each have the whole of it. */
const newBudget = (): CostBudget => new CostBudget(REQUEST_COST_LIMIT);

export function withVariables(environment: PolicyEnvironment, given: Activation, budget: CostBudget): Activation {
  const activation: Record<string, unknown> = { ...given };
  activation["variables"] = new LazyVariables(environment, activation, budget);
  return activation;
}

export function evaluate(
  environment: PolicyEnvironment,
  expression: string,
  wanted: Parameters<PolicyEnvironment["compile"]>[1],
  activation: Activation,
  budget: CostBudget,
) {
  const compiled = environment.compile(expression, wanted);
  return compiled.ok ? compiled.program.evaluate(activation, { budget }) : new CelError(compiled.error);
}

/** Undefined when it is no text that can be shown. */
function messageOf(
  environment: PolicyEnvironment,
  expression: string,
  activation: Activation,
  budget: CostBudget,
): string | undefined {
  const value = evaluate(environment, expression, TEXT, activation, budget);
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const fits = text !== "" && !/[\r\n]/.test(text) && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES;
  return fits ? text : undefined;
}

function truncate(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= MAX_ANNOTATION_BYTES ? text : bytes.subarray(0, MAX_ANNOTATION_BYTES).toString("utf8");
}
