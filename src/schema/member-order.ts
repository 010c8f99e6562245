// The order of members: hooks append what they set, readers expect the schema's order (and sorted keys in maps), so that
// equal objects have equal texts.

import { setKey } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { isSettled, keysOf } from "../base/wide-keys.ts";
import type { Schema, StructSchema } from "./schema.ts";

type JsonObject = Record<string, unknown>;

/** Brings the members below the top level of `object` into order. What is in order already stays as it is. */
export function* orderMembers(object: JsonObject, schema: StructSchema): Steps<void> {
  const waiting: Waiting[] = [];
  for (const [name, { schema: inner }] of schema.fields) {
    const value = object[name];
    if (typeof value !== "object" || value === null) continue;
    object[name] = inOrder(value, inner, waiting);
  }
  // More may come to wait meanwhile.
  for (const each of waiting) yield* "map" in each ? orderWideMap(each, waiting) : orderLongList(each, waiting);
}

/** What is brought into order in steps, and in place. */
type Waiting = WideMap | LongList;

interface LongList {
  readonly list: unknown[];
  readonly items: Schema;
}

interface WideMap {
  readonly map: JsonObject;
  readonly keys: readonly string[];
  readonly values: Schema;
}

const MANY = 500;

function* orderLongList({ list, items }: LongList, waiting: Waiting[]): Steps<void> {
  for (let start = 0; start < list.length; start += MANY) {
    yield;
    orderItems(list, items, start, Math.min(start + MANY, list.length), waiting);
  }
}

function* orderWideMap({ map, keys, values }: WideMap, waiting: Waiting[]): Steps<void> {
  let last = "";
  let ordered = true;
  for (const [index, key] of keys.entries()) {
    if (index % MANY === 0) yield;
    if (key < last) ordered = false;
    last = key;
    const inner = map[key];
    if (typeof inner !== "object" || inner === null) continue;
    const kept = inOrder(inner, values, waiting);
    if (kept !== inner) map[key] = kept;
  }
  // What nobody has added to since it was shaped is in the order of its bytes.
  if (ordered || isSettled(map)) return;
  yield;
  for (const [index, key] of keys.toSorted().entries()) {
    if (index % MANY === 0) yield;
    const value = map[key];
    delete map[key];
    setKey(map, key, value);
  }
}

function inOrder(value: object, schema: Schema, waiting: Waiting[]): unknown {
  switch (schema.type) {
    case "struct":
      return Array.isArray(value) ? value : structInOrder(value as JsonObject, schema, waiting);
    case "list":
      return Array.isArray(value) ? listInOrder(value, schema.items, waiting) : value;
    case "map":
      return Array.isArray(value) ? value : mapInOrder(value as JsonObject, schema.values, waiting);
    default:
      return value;
  }
}

function structInOrder(value: JsonObject, schema: StructSchema, waiting: Waiting[]): JsonObject {
  const places = placesOf(schema);
  let last = -1;
  let ordered = true;
  for (const key in value) {
    const place = places.get(key);
    const position = place?.position ?? LAST;
    if (position < last) ordered = false;
    last = position;
    const inner = value[key];
    if (typeof inner !== "object" || inner === null || place === undefined) continue;
    const kept = inOrder(inner, place.schema, waiting);
    // Most are in order: writing what is there already costs more than looking at it.
    if (kept !== inner) value[key] = kept;
  }
  return ordered ? value : structRebuilt(value, places);
}

/** In one walk over the schema, which takes less time than to sort: what it does not know comes last. */
function structRebuilt(value: JsonObject, places: ReadonlyMap<string, Place>): JsonObject {
  const result: JsonObject = {};
  for (const key of places.keys()) {
    const member = value[key];
    if (member !== undefined) setKey(result, key, member);
  }
  for (const key in value) if (!places.has(key)) setKey(result, key, value[key]);
  return result;
}

function listInOrder(list: unknown[], items: Schema, waiting: Waiting[]): unknown[] {
  if (isPlain(items)) return list;
  if (list.length > MANY) waiting.push({ list, items });
  else orderItems(list, items, 0, list.length, waiting);
  return list;
}

/** Values have no members, or none that the schema knows. */
const isPlain = ({ type }: Schema): boolean => type === "scalar" || type === "any";

function orderItems(list: unknown[], items: Schema, start: number, end: number, waiting: Waiting[]): void {
  for (let i = start; i < end; i += 1) {
    const item = list[i];
    if (typeof item !== "object" || item === null) continue;
    const kept = inOrder(item, items, waiting);
    if (kept !== item) list[i] = kept;
  }
}

function mapInOrder(value: JsonObject, values: Schema, waiting: Waiting[]): JsonObject {
  // In the order of its bytes, with nothing below it: a look at each key of the widest takes 25 ms.
  if (isPlain(values) && isSettled(value)) return value;
  const keys = keysOf(value);
  if (keys.length > MANY) {
    waiting.push({ map: value, keys, values });
    return value;
  }
  let last = "";
  let ordered = true;
  for (const key of keys) {
    if (key < last) ordered = false;
    last = key;
    const inner = value[key];
    if (typeof inner === "object" && inner !== null) value[key] = inOrder(inner, values, waiting);
  }
  return ordered ? value : rebuilt(value, keys.toSorted());
}

function rebuilt(value: JsonObject, keys: readonly string[]): JsonObject {
  const result: JsonObject = {};
  for (const key of keys) setKey(result, key, value[key]);
  return result;
}

/** Where a field stands among the others, and what is in it: one look for each member. */
interface Place {
  readonly position: number;
  readonly schema: Schema;
}

/** Of members that the schema does not know. */
const LAST = Number.MAX_SAFE_INTEGER;

const placeCache = new WeakMap<StructSchema, ReadonlyMap<string, Place>>();

function placesOf(schema: StructSchema): ReadonlyMap<string, Place> {
  let places = placeCache.get(schema);
  if (places === undefined) {
    places = new Map([...schema.fields].map(([name, field], position) => [name, { position, schema: field.schema }]));
    placeCache.set(schema, places);
  }
  return places;
}
