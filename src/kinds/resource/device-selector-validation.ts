// Which devices, and how they are set up: expressions that compile, parameters that a driver can read.

import { append } from "../../base/append.ts";
import { isObject } from "../../base/json.ts";
import { flatMapInSteps, Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong, tooMany } from "../../meta/field-error.ts";
import { deviceExpressionProblem } from "../../schema/device-expressions.ts";
import { API_MINOR } from "../../schema/rule-programs.ts";
import type { HookContext } from "../define-kind.ts";
import { checkDriver } from "./device-name-validation.ts";
import type { DeviceConfiguration, DeviceSelector } from "./device-selector.ts";

export interface DeviceRules extends HookContext {
  /** Expressions that are stored already may use what is new in this release. */
  readonly isStored: boolean;
}

/** So many selectors, requests, constraints and settings are judged in one step. */
const JUDGED_PER_STEP = 60;

/** The pace at which all of an object is judged. */
export const judgingPace = (): Pace => new Pace(JUDGED_PER_STEP);

const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_PARAMETERS_BYTES = 10 * 1024;

/** Selectors are parts of the pace, long expressions several. */
export function* selectorErrors(
  selectors: readonly DeviceSelector[] | undefined,
  field: string,
  rules: DeviceRules,
  pace: Pace,
): Steps<FieldError[]> {
  const list = selectors ?? [];
  const errors = list.length > MAX_SELECTORS ? [tooMany(field, list.length, MAX_SELECTORS)] : [];
  const ofSelectors = flatMapInSteps(list, pace, ({ cel }, index) => {
    const at = `${field}[${index}].cel`;
    return cel ? expressionErrors(cel.expression, `${at}.expression`, rules, pace) : [required(at)];
  });
  append(errors, yield* ofSelectors);
  return errors;
}

export function checkConfiguration({ opaque }: DeviceConfiguration, at: string, errors: FieldError[]): void {
  if (!opaque) {
    errors.push(required(`${at}.opaque`));
    return;
  }
  checkDriver(opaque.driver, `${at}.opaque.driver`, errors);
  checkRawObject(opaque.parameters, `${at}.opaque.parameters`, errors);
}

/** Text that only a driver reads: an object, and not too long. */
export function checkRawObject(value: unknown, field: string, errors: FieldError[]): void {
  if (value === undefined || value === null) {
    errors.push(required(field));
    return;
  }
  const text = JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? Number(inner) : inner));
  if (Buffer.byteLength(text) > MAX_PARAMETERS_BYTES) errors.push(tooLong(field, MAX_PARAMETERS_BYTES));
  else if (!isObject(value)) errors.push(invalid(field, "<value omitted>", "must be a valid JSON object"));
}

function* expressionErrors(
  text: string,
  field: string,
  { names, isStored }: DeviceRules,
  pace: Pace,
): Steps<FieldError[]> {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_BYTES) return [tooLong(field, MAX_EXPRESSION_BYTES)];
  const minor = isStored ? API_MINOR : API_MINOR - 1;
  const problem = yield* deviceExpressionProblem(text, names.dialect, minor, pace);
  if (problem === undefined) return [];
  return ["invalid" in problem ? invalid(field, text, problem.invalid) : forbiddenField(field, problem.forbidden)];
}
