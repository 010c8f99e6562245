// Strategic merge patch: a merge patch that knows the schema, so that lists merge by key, and that takes directives.
// Requirements: document 1, "Merge strategy markers", "Update mechanisms".
//
//   $patch: replace | delete          on an object or a list element: take it as it is, or remove it
//   $retainKeys: [a, b]               drop every other member first
//   $deleteFromPrimitiveList/x: [1]   remove these values from list x
//   $setElementOrder/x: [...]         the order that list x has afterwards

import { getKey, isObject, type Json, type JsonObject, setKey } from "../base/json.ts";
import { everyInSteps, Pace, type Steps } from "../base/steps.ts";
import { FEW_KEYS, keysOf, settleKeys } from "../base/wide-keys.ts";
import { badRequest } from "../meta/status-error.ts";
import type { Field, Schema, StructSchema } from "../schema/schema.ts";
import { goType, goValue, kindInGo } from "./go-text.ts";
import { checkNesting } from "./nesting.ts";
import {
  DELETE_PREFIX,
  ORDER_PREFIX,
  PATCH_DIRECTIVE,
  RETAIN_DIRECTIVE,
  withoutPatched,
} from "./strategic-directives.ts";
import { type ListMarkers, mergeLists, orderLists, removeScalars } from "./strategic-list.ts";

/**
 * The object after the patch, in steps for large ones; neither input changes. Throws 400, in upstream's words, when the
 * patch does not fit the schema or its directives contradict each other.
 */
export function* applyStrategicMergePatch(original: JsonObject, patch: Json, schema: StructSchema): Steps<JsonObject> {
  if (patch === null) return original;
  if (!isObject(patch)) {
    throw badRequest(`json: cannot unmarshal ${kindInGo(patch)} into Go value of type map[string]interface {}`);
  }
  yield* checkNesting(patch);
  yield;
  return yield* mergeMembers(original, patch, schema);
}

/** So many members are merged in one step. */
const LONG = 250;

function* mergeObjects(original: JsonObject, patch: JsonObject, schema: Schema): Steps<JsonObject> {
  const [before, given] = [keysOf(original), keysOf(patch)];
  if (before.length + given.length <= FEW_KEYS) return yield* mergeMembers(original, patch, schema);
  yield;
  const merged = yield* mergeMembers(original, patch, schema);
  const keys: string[] = [];
  const pace = new Pace(LONG);
  for (const key of before) {
    if (pace.due()) yield;
    if (Object.hasOwn(merged, key)) keys.push(key);
  }
  for (const key of given) {
    if (pace.due()) yield;
    if (Object.hasOwn(merged, key) && !Object.hasOwn(original, key)) keys.push(key);
  }
  settleKeys(merged, keys);
  return merged;
}

function* mergeMembers(original: JsonObject, patch: JsonObject, schema: Schema): Steps<JsonObject> {
  const directive = getKey(patch, PATCH_DIRECTIVE) as Json | undefined;
  // The keys of a large map take long to find: once, and in a step of their own.
  const keys = keysOf(patch);
  if (keys.length > LONG) yield;
  if (directive !== undefined) return yield* replaceOrDelete(directive, patch, keys);
  const merged = yield* retainedMembers(original, patch, keys);
  const ordered = yield* mergeOrderedLists(merged, patch, keys, schema);

  for (const [index, key] of keys.entries()) {
    if (index % LONG === LONG - 1) yield;
    if (key === RETAIN_DIRECTIVE || key.startsWith(ORDER_PREFIX) || ordered.has(key)) continue;
    if (key.startsWith(DELETE_PREFIX)) {
      yield* deleteFromList(merged, key, patch[key] ?? null);
      continue;
    }
    const value = patch[key];
    if (value === null || value === undefined) {
      delete merged[key];
      continue;
    }
    const kept = yield* mergeValue(getKey(merged, key) as Json | undefined, value, key, schema);
    if (kept === undefined) delete merged[key];
    else setKey(merged, key, kept);
  }
  return merged;
}

function* replaceOrDelete(directive: Json, patch: JsonObject, keys: readonly string[]): Steps<JsonObject> {
  if (directive === "delete") return {};
  if (directive !== "replace") {
    throw badRequest(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);
  }
  const replacement: JsonObject = {};
  const pace = new Pace(LONG);
  for (const key of keys) {
    if (pace.due()) yield;
    if (key !== PATCH_DIRECTIVE) setKey(replacement, key, patch[key]);
  }
  return replacement;
}

/** A copy of the original, without the members that $retainKeys does not name. */
function* retainedMembers(original: JsonObject, patch: JsonObject, patched: readonly string[]): Steps<JsonObject> {
  const copy: JsonObject = {};
  const keys = keysOf(original);
  if (keys.length > LONG) yield;
  const retain = getKey(patch, RETAIN_DIRECTIVE) as Json | undefined;
  const keep = retain === undefined ? undefined : yield* retainedKeys(retain, patch, patched);
  const pace = new Pace(LONG);
  for (const key of keys) {
    if (pace.due()) yield;
    if (keep?.has(key) !== false) setKey(copy, key, original[key]);
  }
  return copy;
}

/** Those that $retainKeys names, all that the patch sets among them. */
function* retainedKeys(retain: Json, patch: JsonObject, keys: readonly string[]): Steps<ReadonlySet<Json>> {
  if (!Array.isArray(retain)) throw badRequest("invalid patch format of retainKeys");
  const pace = new Pace(LONG);
  const keep = new Set<Json>();
  for (const key of retain) {
    if (pace.due()) yield;
    keep.add(key);
  }
  const fits = (key: string): boolean =>
    key === RETAIN_DIRECTIVE ||
    patch[key] === null ||
    key.startsWith(DELETE_PREFIX) ||
    key.startsWith(ORDER_PREFIX) ||
    keep.has(key);
  if (!(yield* everyInSteps(keys, pace, fits))) throw badRequest("invalid patch format of retainKeys");
  return keep;
}

/** Merges every list for which the patch gives an order; returns their names. */
function* mergeOrderedLists(
  merged: JsonObject,
  patch: JsonObject,
  keys: readonly string[],
  schema: Schema,
): Steps<Set<string>> {
  const done = new Set<string>();
  const pace = new Pace(LONG);
  for (const directive of keys) {
    if (pace.due()) yield;
    if (!directive.startsWith(ORDER_PREFIX)) continue;
    const order = patch[directive] ?? null;
    if (!Array.isArray(order)) throw wrongType("[]interface {}", order);
    const key = nameBehind(directive, ORDER_PREFIX, "invalid patch format of setElementOrder list");
    const original = listMember(merged, key);
    const added = listMember(patch, key);
    if (original === undefined && added === undefined) continue;
    const list = listMarkers(schema, key);
    const mergeItems = (a: JsonObject, b: JsonObject) => mergeObjects(a, b, list.items);
    setKey(merged, key, yield* orderLists(original, added, order, list, mergeItems));
    done.add(key);
  }
  return done;
}

function* mergeValue(original: Json | undefined, value: Json, key: string, schema: Schema): Steps<Json | undefined> {
  if (isObject(original) && isObject(value)) {
    const field = memberOf(schema, key);
    if (field.strategy === "replace") return value;
    return yield* mergeObjects(original, value, field.schema);
  }
  if (Array.isArray(original) && Array.isArray(value)) {
    const list = listMarkers(schema, key);
    if (!list.merges) return value;
    return yield* mergeLists(original, value, list, (a, b) => mergeObjects(a, b, list.items));
  }
  return withoutPatched(value);
}

function* deleteFromList(merged: JsonObject, directive: string, values: Json): Steps<void> {
  const key = nameBehind(directive, DELETE_PREFIX, "invalid patch format of primitive list");
  if (values === null) {
    delete merged[key];
    return;
  }
  const current = getKey(merged, key);
  if (!Array.isArray(current) || !Array.isArray(values)) return;
  setKey(merged, key, yield* removeScalars(current, values));
}

function listMember(source: JsonObject, key: string): Json[] | undefined {
  const value = getKey(source, key) as Json | undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw wrongType("[]interface {}", value);
  return value;
}

function listMarkers(schema: Schema, key: string): ListMarkers {
  const member = memberOf(schema, key);
  if (member.schema.type !== "list") throw badRequest(`expected slice or array type, but got: ${member.schema.type}`);
  return { merges: member.strategy === "merge", mergeKey: member.mergeKey, items: member.schema.items };
}

interface Member {
  readonly schema: Schema;
  readonly strategy: "merge" | "replace" | undefined;
  readonly mergeKey: string;
}

function memberOf(schema: Schema, key: string): Member {
  if (schema.type === "map") return { schema: schema.values, strategy: undefined, mergeKey: "" };
  if (schema.type !== "struct") {
    const name = schema.type === "any" ? "RawExtension" : schema.type;
    throw badRequest(`unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`);
  }
  const field = schema.fields.get(key);
  if (field === undefined) {
    const name = schema.name?.split(".").at(-1) ?? "struct";
    throw badRequest(`unable to find api field in struct ${name} for the json field ${JSON.stringify(key)}`);
  }
  return { schema: field.schema, strategy: strategyOf(field), mergeKey: field.patchMergeKey ?? "" };
}

function strategyOf(field: Field): "merge" | "replace" | undefined {
  for (const strategy of field.patchStrategy ?? []) {
    if (strategy !== "retainKeys") return strategy;
  }
  return undefined;
}

function nameBehind(directive: string, prefix: string, complaint: string): string {
  if (directive[prefix.length] !== "/") throw badRequest(complaint);
  return directive.slice(prefix.length + 1);
}

function wrongType(expected: string, actual: Json): Error {
  return badRequest(`expected a ${expected}, but received a ${goType(actual)}`);
}
