// Conditions of a webhook or a policy beyond its rules: false skips it; an error counts only when none is false.

import type { Steps } from "../../base/steps.ts";
import { CostBudget } from "../../cel/cost-budget.ts";
import { CelError } from "../../cel/errors.ts";
import { MATCH_CONDITIONS_COST_LIMIT } from "../../cel/limits.ts";
import {
  BOOLEAN,
  type CompiledExpression,
  compilingPace,
  type PolicyEnvironment,
} from "../../schema/policy-expressions.ts";
import { aggregate } from "../refusal.ts";

export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

export interface CompiledCondition {
  readonly name: string;
  readonly expression: string;
  readonly compiled: CompiledExpression;
}

/** `errors`: how many conditions could not be evaluated. */
type ConditionOutcome = { readonly matches: boolean } | { readonly error: string; readonly errors: number };

export function* compileConditions(
  environment: PolicyEnvironment,
  conditions: readonly MatchCondition[] | undefined | null,
): Steps<CompiledCondition[]> {
  const made: CompiledCondition[] = [];
  const pace = compilingPace();
  for (const { name, expression } of conditions ?? []) {
    made.push({ name, expression, compiled: yield* environment.compileInSteps(expression, BOOLEAN, pace) });
  }
  return made;
}

/** In steps, as long as costs say. */
export function* meetsConditions(
  conditions: readonly CompiledCondition[],
  activation: Readonly<Record<string, unknown>>,
): Steps<ConditionOutcome> {
  if (conditions.length === 0) return { matches: true };
  const budget = new CostBudget(MATCH_CONDITIONS_COST_LIMIT);
  const errors: string[] = [];
  for (const { expression, compiled } of conditions) {
    if (!compiled.ok) {
      errors.push(`compilation error: ${compiled.error}`);
      continue;
    }
    if (budget.turnIsDue()) yield;
    const value = yield* compiled.program.evaluateInSteps(activation, { budget });
    if (value === false) return { matches: false };
    if (value instanceof CelError) errors.push(`expression '${expression}' resulted in error: ${value.message}`);
  }
  return errors.length === 0 ? { matches: true } : { error: aggregate(errors), errors: errors.length };
}
