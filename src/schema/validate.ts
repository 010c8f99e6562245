// Validation of values against schemas of custom resources, with upstream's findings and words.
// An update may keep what was wrong before: parts that did not change are not looked at (ratcheting), but in alternatives.

import { canonicalText, isObject } from "../base/json.ts";
import { equalJsonInSteps } from "../base/json-in-steps.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { keysOf } from "../base/wide-keys.ts";
import type { FieldError } from "../meta/field-error.ts";
import { invalid, required, tooMany } from "../meta/field-error.ts";
import { checkLongString, checkNumber, checkString, isLongText } from "./check-scalar.ts";
import { checkEnum, checkType } from "./check-type.ts";
import type { Logic, Schema } from "./schema.ts";
import { nodeOfLogic, nodeOfSchema, type ValueNode } from "./value-node.ts";
import { MAX_DEPTH } from "./walk.ts";

interface ValidateOptions {
  /** Where the value stands; by default it is the whole object. */
  readonly at?: string;
  /** The value before the update. */
  readonly old?: unknown;
}

/** What is wrong with `value`, at most MAX_FINDINGS. */
export function* validateValueInSteps(
  value: unknown,
  schema: Schema,
  options: ValidateOptions = {},
): Steps<FieldError[]> {
  const pace = new Pace(VALUES_PER_STEP);
  const outcome = yield* visit(value, nodeOfSchema(schema), { path: "", old: options.old, depth: 0, pace });
  const prefix = options.at;
  const findings = outcome.errors.slice(0, MAX_FINDINGS);
  if (prefix === undefined) return findings;
  const below = (field: string) => (field.startsWith(".") ? `${prefix}${field}` : `${prefix}.${field}`);
  return findings.map((error) => ({ ...error, field: error.field === NOWHERE ? prefix : below(error.field) }));
}

const VALUES_PER_STEP = 250;
/** Further findings of one object are left out. */
const MAX_FINDINGS = 1000;
/** How upstream prints the path of a finding that is about no field. */
const NOWHERE = "<nil>";

/** Findings, and how much was right: the closest of several alternatives is the one reported. */
interface Outcome {
  readonly errors: FieldError[];
  matches: number;
}

interface Place {
  /** Dotted, as messages say it: "spec.ports[0]"; "" is the object itself. */
  readonly path: string;
  /** The value that stood here before; undefined: none, or nobody knows which. */
  readonly old: unknown;
  readonly depth: number;
  /** Of the whole value. */
  readonly pace: Pace;
}

/** How much is right of a text, number or truth value with which nothing is wrong; of what is to be looked at closer, 0. */
function rightOfScalar(value: unknown, node: ValueNode): number {
  if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return 0;
  if (node.hasJunctors || checkType(value, node, "") !== undefined) return 0;
  if (typeof value === "string" && (isLongText(value) || checkString(value, node, "").length > 0)) return 0;
  if (typeof value === "number" && checkNumber(value, node.constraints, "").length > 0) return 0;
  if (checkEnum(value, node.constraints.enum, "") !== undefined) return 0;
  return CONTENT_MATCHES + JUNCTOR_MATCHES + (node.types.length > 0 ? 1 : 0);
}

const CONTENT_MATCHES = 3;
const JUNCTOR_MATCHES = 1;

function* visit(value: unknown, node: ValueNode, place: Place): Steps<Outcome> {
  const outcome: Outcome = { errors: [], matches: 0 };
  if (place.old !== undefined && (yield* equalJsonInSteps(place.old, value))) return outcome;
  if (place.depth > MAX_DEPTH) {
    add(outcome, invalid(fieldOf(place.path), "", "nests too deep"));
    return outcome;
  }
  const typeError = checkType(value, node, place.path);
  if (typeError !== undefined) add(outcome, typeError);
  else if (node.types.length > 0 && value !== null) outcome.matches++;
  if (value !== null) {
    const content: Outcome = { errors: [], matches: CONTENT_MATCHES };
    yield* visitContent(value, node, place, content);
    if (node.hasJunctors) mergeDistinct(outcome, yield* visitJunctors(value, node, place));
    else outcome.matches += JUNCTOR_MATCHES;
    mergeDistinct(outcome, content);
  }
  const enumError = checkEnum(value, node.constraints.enum, place.path);
  if (enumError !== undefined) add(outcome, enumError);
  return outcome;
}

function* visitContent(value: unknown, node: ValueNode, place: Place, outcome: Outcome): Steps<void> {
  if (isLongText(value)) {
    for (const error of yield* checkLongString(value, node, place.path)) add(outcome, error);
  } else if (typeof value === "string") {
    for (const error of checkString(value, node, place.path)) add(outcome, error);
  } else if (typeof value === "number" || typeof value === "bigint") {
    for (const error of checkNumber(value, node.constraints, place.path)) add(outcome, error);
  } else if (Array.isArray(value)) {
    yield* visitList(value, node, place, outcome);
  } else if (isObject(value)) {
    yield* visitObject(value, node, place, outcome);
  }
}

function* visitObject(object: Record<string, unknown>, node: ValueNode, place: Place, outcome: Outcome): Steps<void> {
  const { path, pace } = place;
  const depth = place.depth + 1;
  const { minProperties, maxProperties } = node.constraints;
  const keys = keysOf(object);
  if (minProperties !== undefined && keys.length < minProperties) {
    add(
      outcome,
      invalid(fieldOf(path), keys.length, `${path} in body should have at least ${minProperties} properties`),
    );
  }
  if (maxProperties !== undefined && keys.length > maxProperties) {
    add(outcome, tooMany(fieldOf(path), keys.length, maxProperties));
  }
  const old = isObject(place.old) ? place.old : undefined;
  for (const key of keys) {
    const declared = node.property(key);
    const child = declared ?? node.others;
    if (child === false) add(outcome, invalid(fieldOf(path), key, `${path}.${key} in body is a forbidden property`));
    if (!child) continue;
    if (pace.due()) yield;
    const before = old !== undefined && Object.hasOwn(old, key) ? old[key] : undefined;
    const right = before === undefined ? rightOfScalar(object[key], child) : 0;
    outcome.matches += right;
    if (right > 0) continue;
    // Upstream puts a dot before the keys of a map also where nothing stands before them.
    const at = declared === undefined ? `${path}.${key}` : join(path, key);
    merge(outcome, yield* visit(object[key], child, { path: at, old: before, depth, pace }));
  }
  for (const name of node.required) {
    if (!Object.hasOwn(object, name)) add(outcome, required(join(path, name)));
  }
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function* visitList(list: readonly unknown[], node: ValueNode, place: Place, outcome: Outcome): Steps<void> {
  const { path, pace } = place;
  const depth = place.depth + 1;
  const { minItems, maxItems, uniqueItems } = node.constraints;
  if (node.items !== undefined) {
    const before = yield* correlate(list, place.old, node.mapKeys, pace);
    for (let i = 0; i < list.length && outcome.errors.length < MAX_FINDINGS; i++) {
      if (pace.due()) yield;
      const old = before(i);
      const right = old === undefined ? rightOfScalar(list[i], node.items) : 0;
      outcome.matches += right;
      if (right > 0) continue;
      merge(outcome, yield* visit(list[i], node.items, { path: `${path}[${i}]`, old, depth, pace }));
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    add(outcome, invalid(fieldOf(path), list.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) add(outcome, tooMany(fieldOf(path), list.length, maxItems));
  if (uniqueItems && (yield* hasRepeats(list, pace))) {
    add(outcome, invalid(fieldOf(path), "", `${path} in body shouldn't contain duplicates`));
  }
}

function* hasRepeats(list: readonly unknown[], pace: Pace): Steps<boolean> {
  const seen = new Set<string>();
  for (const item of list) {
    if (pace.due()) yield;
    seen.add(canonicalText(item));
  }
  return seen.size < list.length;
}

/** Items of a list of maps are found again by their keys; other lists change as a whole. */
function* correlate(
  list: readonly unknown[],
  old: unknown,
  mapKeys: readonly string[] | undefined,
  pace: Pace,
): Steps<(index: number) => unknown> {
  if (mapKeys === undefined || !Array.isArray(old)) return () => undefined;
  const keyOf = (item: unknown) =>
    mapKeys.map((key) => canonicalText((isObject(item) ? item[key] : null) ?? null)).join(",");
  const byKey = new Map<string, unknown>();
  for (const item of old) {
    if (pace.due()) yield;
    byKey.set(keyOf(item), item);
  }
  return (index) => byKey.get(keyOf(list[index]));
}

function* visitJunctors(value: unknown, node: ValueNode, place: Place): Steps<Outcome> {
  const { anyOf, oneOf, allOf, not } = node.constraints;
  const outcome: Outcome = { errors: [], matches: JUNCTOR_MATCHES };
  const name = JSON.stringify(place.path);
  // A part that did not change may still be what tells one alternative from another.
  const anew = { ...place, old: undefined };

  if (anyOf !== undefined && anyOf.length > 0) {
    const outcomes = yield* alternatives(value, anyOf, anew);
    const success = outcomes.find(isClean);
    if (success === undefined) add(outcome, nowhere(`${name} must validate at least one schema (anyOf)`));
    mergeDistinct(outcome, success ?? closest(outcomes));
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    const outcomes = yield* alternatives(value, oneOf, anew);
    const successes = outcomes.filter(isClean);
    if (successes.length === 1) mergeDistinct(outcome, successes[0]);
    else {
      const found = successes.length === 0 ? "Found none valid" : `Found ${successes.length} valid alternatives`;
      add(outcome, nowhere(`${name} must validate one and only one schema (oneOf). ${found}`));
      if (successes.length === 0) mergeDistinct(outcome, closest(outcomes));
    }
  }
  if (allOf !== undefined && allOf.length > 0) {
    const outcomes = yield* alternatives(value, allOf, anew);
    for (const each of outcomes) mergeDistinct(outcome, each);
    const validated = outcomes.filter(isClean).length;
    if (validated < outcomes.length) {
      const how = validated === 0 ? ". None validated" : "";
      add(outcome, nowhere(`${name} must validate all the schemas (allOf)${how}`));
    }
  }
  if (not !== undefined && isClean(yield* visit(value, nodeOfLogic(not), anew))) {
    add(outcome, nowhere(`${name} must not validate the schema (not)`));
  }
  return outcome;
}

function* alternatives(value: unknown, logics: readonly Logic[], place: Place): Steps<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const logic of logics) outcomes.push(yield* visit(value, nodeOfLogic(logic), place));
  return outcomes;
}

function isClean(outcome: Outcome): boolean {
  return outcome.errors.length === 0;
}

function closest(outcomes: readonly Outcome[]): Outcome | undefined {
  let best: Outcome | undefined;
  for (const outcome of outcomes) if (best === undefined || outcome.matches > best.matches) best = outcome;
  return best;
}

function nowhere(detail: string): FieldError {
  return invalid(NOWHERE, "", detail);
}

function fieldOf(path: string): string {
  return path === "" ? NOWHERE : path;
}

/** Takes over the findings of a part: they are at other places than all before. */
function merge(into: Outcome, from: Outcome): void {
  for (const error of from.errors) if (into.errors.length < MAX_FINDINGS) into.errors.push(error);
  into.matches += from.matches;
}

/** Takes over the findings of another schema for the same value, each once. */
function mergeDistinct(into: Outcome, from: Outcome | undefined): void {
  if (from === undefined) return;
  into.matches += from.matches;
  if (from.errors.length === 0) return;
  const seen = new Set(into.errors.map(identity));
  for (const error of from.errors) {
    if (!seen.has(identity(error)) && into.errors.length < MAX_FINDINGS) into.errors.push(error);
  }
}

function identity(error: FieldError): string {
  return `${error.type} ${error.field} ${error.detail}`;
}

function add(outcome: Outcome, error: FieldError): void {
  if (outcome.errors.length < MAX_FINDINGS) outcome.errors.push(error);
}
