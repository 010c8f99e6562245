// What a LimitRange must look like.

import { duplicate, type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { parseQuantity, quantityAsFloat } from "../../meta/quantity.ts";
import type { HookContext } from "../define-kind.ts";
import { addProblems } from "../meta/value-checks.ts";
import type { LimitRange, LimitRangeItem } from "./limit-range-schema.ts";
import { isOvercommitable } from "./pod-resource-names.ts";
import { checkContainerResourceName, checkResourceName } from "./pod-resource-validation.ts";
import { compareAmounts } from "./resource-amount-validation.ts";

const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

export function validateLimitRange({ spec }: LimitRange, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (spec.limits ?? []).forEach((item, index) => {
    const at = `spec.limits[${index}]`;
    checkType(item.type, `${at}.type`, errors);
    if (seen.has(item.type)) errors.push(duplicate(`${at}.type`, item.type));
    seen.add(item.type);
    checkLists(item, at, context, errors);
    for (const name of namesOf(item)) checkOrder(item, name, at, context, errors);
  });
  return errors;
}

function checkType(type: string, field: string, errors: FieldError[]): void {
  const problems = qualifiedNameProblems(type);
  addProblems(errors, field, type, problems);
  if (problems.length > 0 || type.includes("/") || TYPES.includes(type)) return;
  errors.push(invalid(field, type, "must be a standard limit type or fully qualified"));
}

function checkLists(item: LimitRangeItem, at: string, context: HookContext, errors: FieldError[]): void {
  const isOfContainers = item.type === "Pod" || item.type === "Container";
  const checkNames = (list: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio") => {
    for (const name in item[list]) {
      const field = `${at}.${list}[${name}]`;
      if (isOfContainers) checkContainerResourceName(errors, field, name, context);
      else checkResourceName(errors, field, name);
    }
  };
  checkNames("max");
  checkNames("min");
  if (item.type === "Pod") {
    for (const list of ["default", "defaultRequest"] as const) {
      if (Object.keys(item[list] ?? {}).length === 0) continue;
      errors.push(forbiddenField(`${at}.${list}`, "may not be specified when `type` is 'Pod'"));
    }
  } else {
    checkNames("default");
    checkNames("defaultRequest");
  }
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"]) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(`${at}.limits`, detail));
  }
  checkNames("maxLimitRequestRatio");
}

function namesOf(item: LimitRangeItem): string[] {
  const defaults = item.type === "Pod" ? [] : [item.default, item.defaultRequest];
  const lists = [item.max, item.min, ...defaults, item.maxLimitRequestRatio];
  return [...new Set(lists.flatMap((list) => Object.keys(list ?? {})))].sort();
}

function checkOrder(item: LimitRangeItem, name: string, at: string, context: HookContext, errors: FieldError[]): void {
  const own = (list: Record<string, string> | undefined) =>
    list !== undefined && Object.hasOwn(list, name) ? list[name] : undefined;
  const [min, max, ratio] = [own(item.min), own(item.max), own(item.maxLimitRequestRatio)];
  const isPod = item.type === "Pod";
  const [limit, request] = isPod ? [undefined, undefined] : [own(item.default), own(item.defaultRequest)];
  const above = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && compareAmounts(a, b) > 0;
  const say = (list: string, shown: string | undefined, detail: string) => {
    errors.push(invalid(`${at}.${list}[${name}]`, shown, detail));
  };

  if (above(min, max)) say("min", min, `min value ${min} is greater than max value ${max}`);
  if (above(min, request)) {
    say("defaultRequest", request, `min value ${min} is greater than default request value ${request}`);
  }
  if (above(request, max)) {
    say("defaultRequest", request, `default request value ${request} is greater than max value ${max}`);
  }
  if (above(request, limit)) {
    say("defaultRequest", request, `default request value ${request} is greater than default limit value ${limit}`);
  }
  if (above(min, limit)) say("default", min, `min value ${min} is greater than default value ${limit}`);
  if (above(limit, max)) say("default", max, `default value ${limit} is greater than max value ${max}`);
  if (ratio !== undefined) checkRatio(ratio, min, max, (detail) => say("maxLimitRequestRatio", ratio, detail));
  if (!isOvercommitable(name, context.names) && limit !== undefined && request !== undefined) {
    if (compareAmounts(limit, request) === 0) return;
    say("defaultRequest", request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`);
  }
}

function checkRatio(
  ratio: string,
  min: string | undefined,
  max: string | undefined,
  say: (detail: string) => void,
): void {
  if (compareAmounts(ratio, "1") < 0) say(`ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const most = numberOf(max) / numberOf(min);
  if (numberOf(ratio) > most) say(`ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`);
}

function numberOf(amount: string): number {
  const quantity = parseQuantity(amount);
  return quantity === undefined ? 0 : quantityAsFloat(quantity);
}
