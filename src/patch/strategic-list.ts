// Lists in strategic merge patches: elements meet by their merge key (objects) or value (scalars). Afterwards elements of
// the patch stand in the patch's order, the others in the order they had, and the two are interleaved by where they stood.

import { isObject, type Json, type JsonObject } from "../base/json.ts";
import { Pace, type Steps } from "../base/steps.ts";
import { badRequest } from "../meta/status-error.ts";
import type { Schema } from "../schema/schema.ts";
import { goType, goValue } from "./go-text.ts";
import { PATCH_DIRECTIVE, withoutPatched } from "./strategic-directives.ts";

export interface ListMarkers {
  /** patchStrategy merge: elements merge instead of the list being replaced. */
  readonly merges: boolean;
  readonly mergeKey: string;
  readonly items: Schema;
}

type MergeItems = (original: JsonObject, patch: JsonObject) => Steps<JsonObject>;

/** So many elements are gone through in one step. */
const LONG = 250;

/** Both lists merged, in an order that keeps the patch's. */
export function* mergeLists(original: Json[], patch: Json[], list: ListMarkers, mergeItems: MergeItems): Steps<Json[]> {
  if (original.length === 0 && patch.length === 0) return original;
  const long = original.length + patch.length > LONG;
  if (!holdsObjects(original, patch)) {
    if (long) yield;
    const merged = [...(yield* distinct(original, patch))];
    return yield* interleave(merged, patch, original, "");
  }
  if (list.mergeKey === "") throw badRequest("cannot merge lists without merge key for struct");
  const special = applySpecialElements(original, patch, list.mergeKey);
  if (long) yield;
  const merged = yield* mergeByKey(special.original, special.patch, list.mergeKey, mergeItems);
  if (long) yield;
  if (standsInOrder(merged, special.patch, list.mergeKey)) return merged;
  if (long) yield;
  return yield* interleave(merged, special.patch, special.original, list.mergeKey);
}

/** As where a client sends the whole list as it was. */
function standsInOrder(merged: Json[], order: Json[], mergeKey: string): boolean {
  if (merged.length !== order.length) return false;
  return merged.every((item, index) => identityOf(item, mergeKey) === identityOf(order[index]!, mergeKey));
}

/** The same with the order that the patch gives for the whole list; either list may be missing. */
export function* orderLists(
  original: Json[] | undefined,
  patch: Json[] | undefined,
  order: Json[],
  list: ListMarkers,
  mergeItems: MergeItems,
): Steps<Json[]> {
  checkOrder(patch ?? [], order, list.mergeKey);
  if (order.length > LONG) yield;
  let merged: Json[];
  if (patch === undefined) merged = original ?? [];
  else if (original === undefined) merged = withoutPatched(patch, true) as Json[];
  else merged = list.merges ? yield* mergeLists(original, patch, list, mergeItems) : patch;
  if (merged.length > LONG) yield;
  const objects = holdsObjects(original ?? [], patch ?? []);
  if (objects) for (const item of order) identityOf(item, list.mergeKey);
  return yield* interleave(merged, order, original ?? [], objects ? list.mergeKey : "");
}

/** The list without these values. Lists of objects cannot lose elements so. */
export function* removeScalars(current: Json[], values: Json[]): Steps<Json[]> {
  if (current.length === 0 && values.length === 0) return current;
  if (holdsObjects(current, values)) throw badRequest("cannot merge lists without merge key for struct");
  const doomed = yield* distinct(values);
  const pace = new Pace(LONG);
  const left: Json[] = [];
  for (const value of current) {
    if (pace.due()) yield;
    if (!doomed.has(value)) left.push(value);
  }
  return left;
}

/** Elements that the order names come in its order; the rest keeps the order of the original, before what followed it. */
function* interleave(merged: Json[], order: Json[], original: Json[], mergeKey: string): Steps<Json[]> {
  const long = merged.length > LONG;
  const wanted = yield* positions(order, mergeKey);
  const former = yield* positions(original, mergeKey);
  const pace = new Pace(LONG);
  const inPatch: Placed[] = [];
  const inServer: Placed[] = [];
  for (const item of merged) {
    if (pace.due()) yield;
    const identity = identityOf(item, mergeKey);
    const before = former.get(identity);
    const place = wanted.get(identity);
    if (place === undefined) inServer.push({ item, before, place: before ?? 0 });
    else inPatch.push({ item, before, place });
  }
  if (long) yield;
  inPatch.sort((a, b) => a.place - b.place);
  inServer.sort((a, b) => a.place - b.place);
  if (long) yield;

  const result: Json[] = [];
  let next = 0;
  for (const { item, before } of inPatch) {
    while (next < inServer.length && before !== undefined && (inServer[next]!.before ?? before) < before) {
      result.push(inServer[next]!.item);
      next++;
    }
    result.push(item);
  }
  for (; next < inServer.length; next++) result.push(inServer[next]!.item);
  return result;
}

interface Placed {
  readonly item: Json;
  /** Where it stands in its own list. */
  readonly place: number;
  /** Where it stood in the original, if it did. */
  readonly before: number | undefined;
}

/** $patch elements: delete removes from the original, replace leaves only the patch. */
function applySpecialElements(original: Json[], patch: Json[], mergeKey: string): { original: Json[]; patch: Json[] } {
  const ordinary: Json[] = [];
  const deleted = new Set<Identity>();
  let replace = false;
  for (const item of patch as JsonObject[]) {
    const directive = Object.hasOwn(item, PATCH_DIRECTIVE) ? item[PATCH_DIRECTIVE] : undefined;
    if (directive === undefined) ordinary.push(item);
    else if (directive === "delete") deleted.add(identityOf(item, mergeKey));
    else if (directive === "replace") replace = true;
    else if (directive === "merge") throw badRequest("merging lists cannot yet be specified in the patch");
    else throw badRequest(`unknown patch type: ${goValue(directive)} in map: ${goValue(item)}`);
  }
  if (replace) return { original: ordinary, patch: [] };
  if (deleted.size === 0) return { original, patch: ordinary };
  return { original: original.filter((item) => !deleted.has(looseIdentity(item, mergeKey))), patch: ordinary };
}

function* mergeByKey(original: Json[], patch: Json[], mergeKey: string, mergeItems: MergeItems): Steps<Json[]> {
  const merged = [...original];
  const place = new Map<Identity, number>();
  merged.forEach((item, index) => {
    const identity = looseIdentity(item, mergeKey);
    if (!place.has(identity)) place.set(identity, index);
  });
  for (const [count, item] of (patch as JsonObject[]).entries()) {
    if (count % LONG === LONG - 1) yield;
    const identity = identityOf(item, mergeKey);
    const index = place.get(identity);
    if (index === undefined) {
      place.set(identity, merged.length);
      merged.push(item);
    } else {
      merged[index] = yield* mergeItems(merged[index] as JsonObject, item);
    }
  }
  return merged;
}

/** Elements of the patch must stand in the order list, in the same relative order. */
function checkOrder(patch: Json[], order: Json[], mergeKey: string): void {
  if (patch.length === 0 || order.length === 0) return;
  let next = 0;
  for (const item of patch) {
    if (isObject(item) && Object.hasOwn(item, PATCH_DIRECTIVE)) continue;
    const identity = identityOf(item, mergeKey);
    while (next < order.length && identityOf(order[next]!, mergeKey) !== identity) next++;
    if (next === order.length) {
      throw badRequest(
        `The order in patch list:\n${goValue(patch)}\n doesn't match $setElementOrder list:\n${goValue(order)}\n`,
      );
    }
    next++;
  }
}

function holdsObjects(...lists: Json[][]): boolean {
  let first: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const type = goType(item);
      first ??= type;
      if (type === "[]interface {}") throw badRequest("lists of lists are not supported");
      if (type !== first || item === null) {
        throw badRequest(`list element types are not identical: ${goValue(lists)}`);
      }
    }
  }
  if (first === undefined) throw badRequest("no elements in any of the given slices");
  return first === "map[string]interface {}";
}

function* positions(list: Json[], mergeKey: string): Steps<Map<Identity, number>> {
  const places = new Map<Identity, number>();
  const pace = new Pace(LONG);
  for (let index = 0; index < list.length; index += 1) {
    if (pace.due()) yield;
    const identity = identityOf(list[index]!, mergeKey);
    if (!places.has(identity)) places.set(identity, index);
  }
  return places;
}

/** The scalar itself: equal ones are one key of a Map. */
type Identity = string | number | bigint | boolean | symbol | null;
const NOBODY = Symbol("an element without its key");

/** What two elements share when they are the same one. Throws when an element lacks its merge key. */
function identityOf(item: Json, mergeKey: string): Identity {
  if (mergeKey === "") return scalarIdentity(item);
  if (!isObject(item)) throw badRequest(`expected a map[string]interface {}, but received a ${goType(item)}`);
  const value = Object.hasOwn(item, mergeKey) ? item[mergeKey] : undefined;
  if (value === undefined) throw badRequest(`map: ${goValue(item)} does not contain declared merge key: ${mergeKey}`);
  return scalarIdentity(value);
}

/** For elements of the original, which may lack the key: those meet nobody. */
function looseIdentity(item: Json, mergeKey: string): Identity {
  return isObject(item) && Object.hasOwn(item, mergeKey) ? scalarIdentity(item[mergeKey] ?? null) : NOBODY;
}

function scalarIdentity(value: Json): Identity {
  if (typeof value === "object" && value !== null)
    throw badRequest(`expected a scalar, but received a ${goType(value)}`);
  return value;
}

function* distinct(...lists: Json[][]): Steps<ReadonlySet<Json>> {
  const seen = new Set<Json>();
  const pace = new Pace(LONG);
  for (const list of lists) {
    for (const value of list) {
      if (pace.due()) yield;
      scalarIdentity(value);
      seen.add(value);
    }
  }
  return seen;
}
