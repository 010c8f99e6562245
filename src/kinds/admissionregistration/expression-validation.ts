// Do the expressions of webhooks and policies compile? New ones against what the previous version could read too.

import { append } from "../../base/append.ts";
import { duplicate, type FieldError, invalid, required, tooMany } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { BOOLEAN, type PolicyEnvironment, type PolicyScope } from "../../schema/policy-expressions.ts";
import { API_MINOR } from "../../schema/rule-programs.ts";
import type { HookContext } from "../define-kind.ts";
import type { MatchCondition } from "./webhook-schema.ts";

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

export function matchConditionErrors(
  conditions: readonly MatchCondition[] | undefined | null,
  path: string,
  environmentOf: (expression: string) => PolicyEnvironment,
): FieldError[] {
  const errors: FieldError[] = [];
  const count = (conditions ?? []).length;
  if (count > MAX_MATCH_CONDITIONS) errors.push(tooMany(path, count, MAX_MATCH_CONDITIONS));
  const seen = new Set<string>();
  (conditions ?? []).forEach(({ name, expression }, index) => {
    const at = `${path}[${index}]`;
    const text = expression.trim();
    if (text === "") errors.push(required(`${at}.expression`));
    else append(errors, expressionErrors(environmentOf(text), text, `${at}.expression`, BOOLEAN));
    if (name === "") errors.push(required(`${at}.name`));
    else for (const problem of qualifiedNameProblems(name)) errors.push(invalid(`${at}.name`, name, problem));
    if (name !== "" && seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
  });
  return errors;
}

export function expressionErrors(
  environment: PolicyEnvironment,
  expression: string,
  path: string,
  wanted: Parameters<PolicyEnvironment["compile"]>[1],
): FieldError[] {
  const compiled = environment.compile(expression, wanted);
  return compiled.ok ? [] : [invalid(path, expression, compiled.error)];
}
