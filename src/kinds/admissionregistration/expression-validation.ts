// Do the expressions of webhooks and policies compile? New ones against what the previous version could read too.

import { append } from "../../base/append.ts";
import type { Pace, Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, internalFieldError, invalid, required, tooMany } from "../../meta/field-error.ts";
import { checkFields } from "../../schema/check-fields.ts";
import {
  BOOLEAN,
  type CompiledExpression,
  type PolicyEnvironment,
  type PolicyScope,
} from "../../schema/policy-expressions.ts";
import { API_MINOR } from "../../schema/rule-programs.ts";
import type { HookContext } from "../define-kind.ts";
import { type MatchCondition, matchCondition } from "./webhook-schema.ts";

const MAX_MATCH_CONDITIONS = 64;

/** What expressions may use: more when they were stored before. */
export function scopeOf(
  { names, gateEnabled }: HookContext,
  options: { readonly params: boolean; readonly stored: boolean },
): PolicyScope {
  return {
    dialect: names.dialect,
    minor: options.stored ? API_MINOR : API_MINOR - 1,
    params: options.params,
    authorizerSelectors: gateEnabled("AuthorizeWithSelectors"),
  };
}

export function* matchConditionErrors(
  conditions: readonly MatchCondition[] | undefined | null,
  path: string,
  pace: Pace,
  environmentOf: (expression: string) => PolicyEnvironment,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const count = (conditions ?? []).length;
  if (count > MAX_MATCH_CONDITIONS) errors.push(tooMany(path, count, MAX_MATCH_CONDITIONS));
  const seen = new Set<string>();
  for (const [index, condition] of (conditions ?? []).entries()) {
    if (pace.due()) yield;
    const { name, expression } = condition;
    const at = `${path}[${index}]`;
    const text = expression.trim();
    if (text === "") errors.push(required(`${at}.expression`));
    else append(errors, yield* expressionErrors(environmentOf(text), text, `${at}.expression`, BOOLEAN, pace));
    checkFields(condition, matchCondition, at, errors, ["name"]);
    if (name !== "" && seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
  }
  return errors;
}

export function* expressionErrors(
  environment: PolicyEnvironment,
  expression: string,
  path: string,
  wanted: Parameters<PolicyEnvironment["compileInSteps"]>[1],
  pace: Pace,
): Steps<FieldError[]> {
  const compiled = yield* environment.compileInSteps(expression, wanted, pace);
  return compiled.ok ? [] : [expressionError(path, expression, compiled)];
}

/** An expression whose text is right but which cannot run is no mistake of a field, as upstream sees it. */
export function expressionError(
  path: string,
  expression: string,
  { error, unusable }: Extract<CompiledExpression, { ok: false }>,
): FieldError {
  return unusable ? internalFieldError(path, error) : invalid(path, expression, error);
}
