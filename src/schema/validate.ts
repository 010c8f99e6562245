// Validation of values against schemas of custom resources, with upstream's findings and words.
// An update may keep what was wrong before: parts that did not change are not looked at (ratcheting).

import { equalJson, isObject } from "../base/json.ts";
import type { FieldError } from "../meta/field-error.ts";
import { invalid, required, tooMany } from "../meta/field-error.ts";
import { checkNumber, checkString } from "./check-scalar.ts";
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
export function validateValue(value: unknown, schema: Schema, options: ValidateOptions = {}): FieldError[] {
  const outcome = visit(value, nodeOfSchema(schema), { path: "", old: options.old, depth: 0 });
  const prefix = options.at;
  const findings = outcome.errors.slice(0, MAX_FINDINGS);
  if (prefix === undefined) return findings;
  return findings.map((error) => ({
    ...error,
    field: error.field === NOWHERE ? prefix : `${prefix}.${error.field}`,
  }));
}

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
}

function visit(value: unknown, node: ValueNode, place: Place): Outcome {
  const outcome: Outcome = { errors: [], matches: 0 };
  if (place.old !== undefined && equalJson(place.old, value)) return outcome;
  if (place.depth > MAX_DEPTH) {
    add(outcome, invalid(fieldOf(place.path), "", "nests too deep"));
    return outcome;
  }
  const typeError = checkType(value, node, place.path);
  if (typeError !== undefined) add(outcome, typeError);
  else if (node.types.length > 0 && value !== null) outcome.matches++;
  if (value !== null) {
    const content: Outcome = { errors: [], matches: 3 };
    visitContent(value, node, place, content);
    mergeDistinct(outcome, visitJunctors(value, node, place));
    mergeDistinct(outcome, content);
  }
  const enumError = checkEnum(value, node.constraints.enum, place.path);
  if (enumError !== undefined) add(outcome, enumError);
  return outcome;
}

function visitContent(value: unknown, node: ValueNode, place: Place, outcome: Outcome): void {
  if (typeof value === "string") {
    for (const error of checkString(value, node, place.path)) add(outcome, error);
  } else if (typeof value === "number" || typeof value === "bigint") {
    for (const error of checkNumber(value, node.constraints, place.path)) add(outcome, error);
  } else if (Array.isArray(value)) {
    visitList(value, node, place, outcome);
  } else if (isObject(value)) {
    visitObject(value, node, place, outcome);
  }
}

function visitObject(object: Record<string, unknown>, node: ValueNode, place: Place, outcome: Outcome): void {
  const { path } = place;
  const { minProperties, maxProperties } = node.constraints;
  const keys = Object.keys(object);
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
    const child = node.property(key) ?? node.others;
    const at = path === "" ? key : `${path}.${key}`;
    if (child === false) add(outcome, invalid(fieldOf(path), key, `${path}.${key} in body is a forbidden property`));
    else if (child !== undefined) {
      const before = old !== undefined && Object.hasOwn(old, key) ? old[key] : undefined;
      merge(outcome, visit(object[key], child, { path: at, old: before, depth: place.depth + 1 }));
    }
  }
  for (const name of node.required) {
    if (!Object.hasOwn(object, name)) add(outcome, required(path === "" ? name : `${path}.${name}`));
  }
}

function visitList(list: readonly unknown[], node: ValueNode, place: Place, outcome: Outcome): void {
  const { path } = place;
  const { minItems, maxItems, uniqueItems } = node.constraints;
  if (node.items !== undefined) {
    const before = correlate(list, place.old, node.mapKeys);
    for (let i = 0; i < list.length && outcome.errors.length < MAX_FINDINGS; i++) {
      merge(outcome, visit(list[i], node.items, { path: `${path}[${i}]`, old: before(i), depth: place.depth + 1 }));
    }
  }
  if (minItems !== undefined && list.length < minItems) {
    add(outcome, invalid(fieldOf(path), list.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) add(outcome, tooMany(fieldOf(path), list.length, maxItems));
  if (uniqueItems && new Set(list.map(canonical)).size < list.length) {
    add(outcome, invalid(fieldOf(path), "", `${path} in body shouldn't contain duplicates`));
  }
}

/** Items of a list of maps are found again by their keys; other lists change as a whole. */
function correlate(
  list: readonly unknown[],
  old: unknown,
  mapKeys: readonly string[] | undefined,
): (index: number) => unknown {
  if (mapKeys === undefined || !Array.isArray(old)) return () => undefined;
  const keyOf = (item: unknown) => canonical(mapKeys.map((key) => (isObject(item) ? (item[key] ?? null) : null)));
  const byKey = new Map<string, unknown>();
  for (const item of old) byKey.set(keyOf(item), item);
  return (index) => byKey.get(keyOf(list[index]));
}

function visitJunctors(value: unknown, node: ValueNode, place: Place): Outcome {
  const { anyOf, oneOf, allOf, not } = node.constraints;
  const outcome: Outcome = { errors: [], matches: 1 };
  const name = JSON.stringify(place.path);
  const alternatives = (logics: readonly Logic[]) => logics.map((logic) => visit(value, nodeOfLogic(logic), place));

  if (anyOf !== undefined && anyOf.length > 0) {
    const outcomes = alternatives(anyOf);
    const success = outcomes.find(isClean);
    if (success === undefined) add(outcome, nowhere(`${name} must validate at least one schema (anyOf)`));
    mergeDistinct(outcome, success ?? closest(outcomes));
  }
  if (oneOf !== undefined && oneOf.length > 0) {
    const outcomes = alternatives(oneOf);
    const successes = outcomes.filter(isClean);
    if (successes.length === 1) mergeDistinct(outcome, successes[0]);
    else {
      const found = successes.length === 0 ? "Found none valid" : `Found ${successes.length} valid alternatives`;
      add(outcome, nowhere(`${name} must validate one and only one schema (oneOf). ${found}`));
      if (successes.length === 0) mergeDistinct(outcome, closest(outcomes));
    }
  }
  if (allOf !== undefined && allOf.length > 0) {
    const outcomes = alternatives(allOf);
    for (const each of outcomes) mergeDistinct(outcome, each);
    const validated = outcomes.filter(isClean).length;
    if (validated < outcomes.length) {
      const how = validated === 0 ? ". None validated" : "";
      add(outcome, nowhere(`${name} must validate all the schemas (allOf)${how}`));
    }
  }
  if (not !== undefined && isClean(visit(value, nodeOfLogic(not), { ...place, old: undefined }))) {
    add(outcome, nowhere(`${name} must not validate the schema (not)`));
  }
  return outcome;
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

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner === "bigint") return { bigint: String(inner) };
    if (!isObject(inner)) return inner;
    return Object.fromEntries(
      Object.keys(inner)
        .sort()
        .map((key) => [key, inner[key]]),
    );
  });
}
