// Pruning of custom resources: fields that the schema does not name are dropped and reported with their paths, and nulls
// that mean nothing are dropped.
// Requirements: document 1, "Field validation".

import { mapInSteps, Pace, type Steps } from "../base/steps.ts";
import { forgetKeys, keysOf } from "../base/wide-keys.ts";
import { cutPath } from "../meta/quoted.ts";
import { type Schema, type StructSchema, schemaFor } from "./schema.ts";
import { sortedInSteps } from "./sorted-keys.ts";
import { MAX_DEPTH, ShapeError } from "./walk.ts";

/**
 * Changes `object` in place. The root keeps apiVersion, kind and metadata, whatever the schema says of them: they are
 * shaped as every object's metadata. Answers `unknown field "spec.bogus"` for each field dropped, ordered by path.
 * Fields that are null, may not be and have no default go with them, so that null is a way to say "nothing".
 */
export function* prune(object: Record<string, unknown>, schema: StructSchema, nulls: Nulls = "drop"): Steps<string[]> {
  const unknown = yield* pruneFrom(object, asRoot(schema), nulls);
  if (unknown.length === 0) return unknown;
  const pace = new Pace(VALUES_PER_STEP);
  return yield* mapInSteps(yield* sortedInSteps(unknown), pace, (path) => `unknown field ${JSON.stringify(path)}`);
}

/** The same for a part of an object, without the root's exception and without report; nulls stay. */
export function* pruneInner(value: object, schema: Schema): Steps<void> {
  yield* pruneFrom(value, schema, "keep");
}

/** Whether pruneInner would change it. */
export function* hasUnknownFields(value: object, schema: Schema): Steps<boolean> {
  const unknown = yield* pruneFrom(value, schema, "keep", "looks");
  return unknown.length > 0;
}

/** Which nulls stay that may not be there: none, those that somebody is to hear of, or all. */
type Nulls = "drop" | "keepRefused" | "keep";

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function asRoot(schema: StructSchema): StructSchema {
  if (schema.embedded) return schema;
  let root = ROOTS.get(schema);
  if (root === undefined) {
    root = { ...schema, members: schema.members, fields: schema.fields, embedded: true };
    ROOTS.set(schema, root);
  }
  return root;
}

const ROOTS = new WeakMap<StructSchema, StructSchema>();

const VALUES_PER_STEP = 500;
/** Further fields are dropped without a word. */
const MAX_REPORTED = 10_000;

/** A value that is still to be gone through. */
interface Place {
  readonly value: object;
  /** Without a schema nothing is known: objects lose all their fields. */
  readonly schema: Schema | undefined;
  /** The list around says that its items keep their fields. */
  readonly open: boolean;
  readonly depth: number;
  /** The value around, and where in it this one stands: texts are made only of what is dropped. */
  readonly around: Place | undefined;
  readonly key: string | number;
}

interface PruneWalk {
  readonly nulls: Nulls;
  /** Whether the value is changed, or only looked at, up to the first field that nobody knows. */
  readonly drops: boolean;
  readonly unknown: string[];
  /** Walks of their own in steps, one for each value, would take twice as long for small objects, which most are. */
  readonly waiting: Place[];
}

/** The paths of what was dropped because nobody knows it. */
function* pruneFrom(value: object, schema: Schema, nulls: Nulls, how: "drops" | "looks" = "drops"): Steps<string[]> {
  const root = { value, schema, open: false, depth: 0, around: undefined, key: "" };
  const walk: PruneWalk = { nulls, drops: how === "drops", unknown: [], waiting: [root] };
  const pace = new Pace(VALUES_PER_STEP);
  for (let place = walk.waiting.pop(); place !== undefined; place = walk.waiting.pop()) {
    if (place.depth > MAX_DEPTH) throw new ShapeError("exceeded max depth", "");
    const rules = rulesFor(place);
    if (rules === undefined) continue;
    const { value } = place;
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) {
        if (pace.due()) yield;
        pruneItem(value[index], place, index, rules, walk);
      }
      continue;
    }
    const keys = keysOf(value);
    if (keys.length > VALUES_PER_STEP) yield;
    for (const key of keys) {
      if (pace.due()) yield;
      pruneMember(value as Record<string, unknown>, place, key, rules, walk);
      if (!walk.drops && walk.unknown.length > 0) return walk.unknown;
    }
  }
  return walk.unknown;
}

/** What the schema says of the members of a value. */
interface MemberRules {
  readonly struct: StructSchema | undefined;
  /** Of the items of a list, of the values of a map, of members that a struct does not name. */
  readonly others: Schema | undefined;
  readonly othersDefault: unknown;
  /** Those that nothing is said of stay. */
  readonly keeps: boolean;
}

/** Undefined where all members stay as they are. */
function rulesFor({ value, schema, open }: Place): MemberRules | undefined {
  const keeps = open || keepsUnknown(schema);
  const declared = schema && schemaFor(value, schema);
  const isList = Array.isArray(value);
  const struct = declared?.type === "struct" && !isList ? declared : undefined;
  let others = struct?.additional;
  let othersDefault: unknown;
  if (declared?.type === "map" && !isList) ({ values: others, valueDefault: othersDefault } = declared);
  if (declared?.type === "list" && isList) others = declared.items;
  if (keeps && struct === undefined && others === undefined) return undefined;
  return { struct, others, othersDefault, keeps };
}

function keepsUnknown(schema: Schema | undefined): boolean {
  if (schema?.type === "any") return !schema.pruned;
  if (schema?.type !== "struct" && schema?.type !== "map" && schema?.type !== "list") return false;
  return schema.preserveUnknown === true;
}

function pruneItem(item: unknown, place: Place, index: number, rules: MemberRules, { waiting }: PruneWalk): void {
  if (typeof item !== "object" || item === null) return;
  const { others: schema, keeps: open } = rules;
  waiting.push({ value: item, schema, open, depth: place.depth + 1, around: place, key: index });
}

function pruneMember(
  object: Record<string, unknown>,
  place: Place,
  key: string,
  { struct, others, othersDefault, keeps }: MemberRules,
  { nulls, drops, unknown, waiting }: PruneWalk,
): void {
  const field = struct?.fields.get(key);
  const schema = field === undefined ? others : field.schema;
  const value = object[key];
  if (value === null && schema !== undefined) {
    const fallback = field === undefined ? othersDefault : field.default;
    const kept = nulls === "keep" || (nulls === "keepRefused" && refusesNull(schema));
    if (!kept && !schema.nullable && fallback === undefined) drop(object, key);
    return;
  }
  if (struct?.embedded && META_FIELDS.has(key)) return;
  if (schema !== undefined) {
    if (typeof value === "object")
      waiting.push({ value: value!, schema, open: false, depth: place.depth + 1, around: place, key });
  } else if (!keeps) {
    if (unknown.length < MAX_REPORTED) unknown.push(pathOf(place, key));
    if (drops) drop(object, key);
  }
}

/** Where values of every type are right, so is a null, which then means nothing. */
function refusesNull(schema: Schema): boolean {
  return schema.type !== "any" || schema.objectOnly === true || schema.constraints !== undefined;
}

function drop(object: Record<string, unknown>, key: string): void {
  delete object[key];
  forgetKeys(object);
}

function pathOf(place: Place, key: string): string {
  const keys: (string | number)[] = [key];
  for (let at = place; at.around !== undefined; at = at.around) keys.push(at.key);
  return cutPath(keys.reverse());
}
