// Which devices, and how they are set up: expressions that compile, parameters that a driver can read.

import { isObject } from "../../base/json.ts";
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

const MAX_SELECTORS = 32;
const MAX_EXPRESSION_BYTES = 10 * 1024;
const MAX_PARAMETERS_BYTES = 10 * 1024;

export function checkSelectors(
  selectors: readonly DeviceSelector[] | undefined,
  field: string,
  rules: DeviceRules,
  errors: FieldError[],
): void {
  const list = selectors ?? [];
  if (list.length > MAX_SELECTORS) errors.push(tooMany(field, list.length, MAX_SELECTORS));
  list.forEach(({ cel }, index) => {
    const at = `${field}[${index}].cel`;
    if (cel) checkExpression(cel.expression, `${at}.expression`, rules, errors);
    else errors.push(required(at));
  });
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

function checkExpression(text: string, field: string, { names, isStored }: DeviceRules, errors: FieldError[]): void {
  if (Buffer.byteLength(text) > MAX_EXPRESSION_BYTES) {
    errors.push(tooLong(field, MAX_EXPRESSION_BYTES));
    return;
  }
  const problem = deviceExpressionProblem(text, names.dialect, isStored ? API_MINOR : API_MINOR - 1);
  if (problem === undefined) return;
  errors.push("invalid" in problem ? invalid(field, text, problem.invalid) : forbiddenField(field, problem.forbidden));
}
