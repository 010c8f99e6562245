// LimitRange: limits and defaults for the resources that objects of a namespace may use.

import { Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { parseQuantity, quantityAsFloat } from "../../meta/quantity.ts";
import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";
import { isOvercommitable } from "./pod/resource-names.ts";
import { checkContainerResourceName, checkResourceName } from "./pod/resource-validation.ts";
import { compareAmounts } from "./resource-amount-validation.ts";
import { type ResourceList, roundResourceList } from "./resource-list.ts";

export type LimitRange = ObjectOf<typeof limitRangeSchema>;

const limitRangeSchema = objectSchema(
  "core.v1.LimitRange",
  "Limits and defaults for the resources that objects of a namespace may use.",
  () => ({
    spec: opt.of(limitRangeSpec, 2, "The limits."),
  }),
);

export const limitRange = defineKind({
  group: "",
  version: "v1",
  kind: "LimitRange",
  resource: "limitranges",
  scope: "Namespaced",
  shortNames: ["limits"],
  schema: limitRangeSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  hooks: {
    default: defaultLimitRange,
    prepareForCreate({ metadata }) {
      // The only kind that may come without any name.
      if (metadata.uid) metadata.name ||= metadata.uid;
    },
    validate: validateLimitRange,
    validateUpdate: (range, _old, context) => validateLimitRange(range, context),
  },
});

const limitRangeSpec = s.struct("core.v1.LimitRangeSpec", "Limits, each for one type of object.", () => ({
  limits: s.atomic(limitRangeItem, 1, "The limits that are enforced, one entry for each type of object."),
}));

export type LimitRangeItem = ObjectOf<typeof limitRangeItem>;

const limitRangeItem = s.struct("core.v1.LimitRangeItem", "Limits for one type of object, by resource.", () => ({
  type: s.named(
    "LimitType",
    1,
    "What is limited: `Container`, `Pod` (its containers together) or `PersistentVolumeClaim`.",
  ),
  max: opt.map("quantity", 2, "The most that a single object may ask for, by resource.", { alias: "ResourceList" }),
  min: opt.map("quantity", 3, "The least that a single object must ask for, by resource.", { alias: "ResourceList" }),
  default: opt.map("quantity", 4, "Limits of containers that name none. Not set, `max`. Not for the type `Pod`.", {
    alias: "ResourceList",
  }),
  defaultRequest: opt.map(
    "quantity",
    5,
    "Requests of containers that name none. Not set, `default`, else `min`. Not for the type `Pod`.",
    { alias: "ResourceList" },
  ),
  maxLimitRequestRatio: opt.map(
    "quantity",
    6,
    "How many times the request the limit may be, by resource; both must then be set and not zero.",
    { alias: "ResourceList" },
  ),
}));

function defaultLimitRange({ spec }: LimitRange): void {
  for (const item of spec.limits ?? []) {
    for (const list of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) {
      roundResourceList(list);
    }
    if (item.type !== "Container") continue;
    const limits = fill(item.default, item.max);
    const requests = fill(fill(item.defaultRequest, limits), item.min);
    if (limits) item.default = limits;
    if (requests) item.defaultRequest = requests;
  }
}

/** The first list, completed from the second. */
function fill(list: ResourceList | undefined, from: ResourceList | undefined): ResourceList | undefined {
  const filled = { ...from, ...list };
  return Object.keys(filled).length === 0 ? list : filled;
}

const TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

/** So many resources are judged in one step. */
const RESOURCES_PER_STEP = 250;

function* validateLimitRange({ spec }: LimitRange, context: HookContext): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const [index, item] of (spec.limits ?? []).entries()) {
    if (pace.due()) yield;
    const at = `spec.limits[${index}]`;
    checkType(item.type, `${at}.type`, errors);
    if (seen.has(item.type)) errors.push(duplicate(`${at}.type`, item.type));
    seen.add(item.type);
    yield* checkLists(item, at, context, pace, errors);
    for (const name of namesOf(item)) {
      if (pace.due()) yield;
      checkOrder(item, name, at, context, errors);
    }
  }
  return errors;
}

function checkType(type: string, field: string, errors: FieldError[]): void {
  const problems = qualifiedNameProblems(type);
  addProblems(errors, field, type, problems);
  if (problems.length > 0 || type.includes("/") || TYPES.includes(type)) return;
  errors.push(invalid(field, type, "must be a standard limit type or fully qualified"));
}

function* checkLists(
  item: LimitRangeItem,
  at: string,
  context: HookContext,
  pace: Pace,
  errors: FieldError[],
): Steps<void> {
  const isOfContainers = item.type === "Pod" || item.type === "Container";
  function* checkNames(list: "max" | "min" | "default" | "defaultRequest" | "maxLimitRequestRatio"): Steps<void> {
    for (const name in item[list]) {
      if (pace.due()) yield;
      const field = `${at}.${list}[${name}]`;
      if (isOfContainers) checkContainerResourceName(errors, field, name, context);
      else checkResourceName(errors, field, name);
    }
  }
  yield* checkNames("max");
  yield* checkNames("min");
  if (item.type === "Pod") {
    for (const list of ["default", "defaultRequest"] as const) {
      if (Object.keys(item[list] ?? {}).length === 0) continue;
      errors.push(forbiddenField(`${at}.${list}`, "may not be specified when `type` is 'Pod'"));
    }
  } else {
    yield* checkNames("default");
    yield* checkNames("defaultRequest");
  }
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"]) {
    const detail = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(required(`${at}.limits`, detail));
  }
  yield* checkNames("maxLimitRequestRatio");
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
