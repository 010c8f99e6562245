// Walks over large JSON values, with a turn for others after so many of their members. They come to the same as those in
// json.ts.

import {
  cloneJson,
  countValues,
  equalJson,
  equalMembers,
  isObject,
  type Json,
  type JsonObject,
  setKey,
} from "./json.ts";
import { Pace, type Steps } from "./steps.ts";
import { isSettled, keysOf, settleKeys } from "./wide-keys.ts";

/** So many members of objects and items of lists are gone through in one step. */
const MEMBERS_PER_STEP = 1_000;

/** The keys of an object, and a turn after them where they are many: those of a large map take long to find. */
export function* keysInStep(object: object): Steps<readonly string[]> {
  const keys = keysOf(object);
  if (keys.length > MEMBERS_PER_STEP) yield;
  return keys;
}

/** Values of no more than so many are compared and copied at once, which takes a fraction of the time. */
const FEW = 1_000;

/** Deep equality; the order of keys does not matter. Of small values in one step: who knows that they are says so. */
export function* equalJsonInSteps(a: unknown, b: unknown, large = true): Steps<boolean> {
  if (!large || a === b || areFew(a as Json, b as Json)) return equalJson(a, b);
  yield;
  return yield* equal(a, b, new Pace(MEMBERS_PER_STEP));
}

const areFew = (a: Json, b: Json): boolean => countValues(a, FEW) <= FEW && countValues(b, FEW) <= FEW;

/** The same for the members of two objects but one of them. A member that is undefined is none. */
export function* equalMembersInSteps(a: JsonObject, b: JsonObject, but?: string, large = true): Steps<boolean> {
  if (!large || areFew(a, b)) return equalMembers(a, b, but);
  yield;
  return yield* equalMany(a, b, but, new Pace(MEMBERS_PER_STEP));
}

function* equal(a: unknown, b: unknown, pace: Pace): Steps<boolean> {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) {
      if (pace.due()) yield;
      if (a[index] !== b[index] && !(yield* equal(a[index], b[index], pace))) return false;
    }
    return true;
  }
  return !Array.isArray(b) && (yield* equalMany(a as JsonObject, b as JsonObject, undefined, pace));
}

function* equalMany(a: JsonObject, b: JsonObject, but: string | undefined, pace: Pace): Steps<boolean> {
  let count = 0;
  for (const key of yield* keysInStep(a)) {
    const member = a[key];
    if (member === undefined || key === but) continue;
    if (pace.due()) yield;
    if (!Object.hasOwn(b, key)) return false;
    const other = b[key];
    if (member !== other && !(yield* equal(member, other, pace))) return false;
    count++;
  }
  for (const key of yield* keysInStep(b)) {
    if (pace.due()) yield;
    if (b[key] !== undefined && key !== but) count--;
  }
  return count === 0;
}

/** A deep copy, whose own members may be added to. Of small values in one step. */
export function* cloneJsonInSteps<T>(value: T): Steps<T> {
  if (countValues(value as Json, FEW) <= FEW) return cloneJson(value);
  yield;
  const pace = new Pace(MEMBERS_PER_STEP);
  if (!isObject(value)) return (yield* clone(value, pace)) as T;
  return (yield* cloneMembers(value, yield* keysInStep(value), pace)) as T;
}

function* clone(value: unknown, pace: Pace): Steps<unknown> {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const copies: unknown[] = [];
    for (const item of value) {
      if (pace.due()) yield;
      copies.push(typeof item === "object" ? yield* clone(item, pace) : item);
    }
    return copies;
  }
  const keys = yield* keysInStep(value);
  const copy = yield* cloneMembers(value as JsonObject, keys, pace);
  settleKeys(copy, keys);
  return copy;
}

function* cloneMembers(value: JsonObject, keys: readonly string[], pace: Pace): Steps<JsonObject> {
  const copy: JsonObject = {};
  for (const key of keys) {
    if (pace.due()) yield;
    const member = value[key];
    setKey(copy, key, typeof member === "object" ? yield* clone(member, pace) : member);
  }
  return copy;
}

/** An object with further members: itself, or a copy in its place where it takes no further key. */
export function* withMembers<T>(
  object: Record<string, T>,
  further: Readonly<Record<string, T>>,
): Steps<Record<string, T>> {
  const keys = Object.keys(further);
  const added = isSettled(object) ? keys.filter((key) => !Object.hasOwn(object, key)) : [];
  const target = added.length > 0 ? yield* extensible(object) : object;
  for (const key of keys) setKey(target, key, further[key]);
  if (added.length > 0) settleKeys(target, [...keysOf(object), ...added]);
  return target;
}

/** One with the same members that takes further keys: the object itself, or a copy. */
export function* extensible<T>(object: Record<string, T>): Steps<Record<string, T>> {
  if (!isSettled(object)) return object;
  const copy: Record<string, T> = {};
  const pace = new Pace(MEMBERS_PER_STEP);
  for (const key of keysOf(object)) {
    if (pace.due()) yield;
    setKey(copy, key, object[key]);
  }
  return copy;
}

/** How many values there are in a value, itself among them, and how many keys the widest of its objects has. */
export interface Crowd {
  readonly values: number;
  readonly mostKeys: number;
}

/** Stops counting above `mostValues`. */
export function* crowdInSteps(value: Json | undefined, mostValues: number): Steps<Crowd> {
  const counted = { values: 0, mostKeys: 0 };
  yield* count(value, mostValues, counted, new Pace(MEMBERS_PER_STEP));
  return counted;
}

function* count(
  value: Json | undefined,
  mostValues: number,
  counted: { values: number; mostKeys: number },
  pace: Pace,
): Steps<void> {
  counted.values += 1;
  if (typeof value !== "object" || value === null) return;
  const members = isObject(value) ? value : undefined;
  const keys = members === undefined ? undefined : yield* keysInStep(members);
  counted.mostKeys = Math.max(counted.mostKeys, keys?.length ?? 0);
  const length = keys === undefined ? (value as Json[]).length : keys.length;
  for (let index = 0; index < length && counted.values <= mostValues; index += 1) {
    if (pace.due()) yield;
    const member = keys === undefined ? (value as Json[])[index] : members![keys[index]!];
    if (typeof member === "object") yield* count(member, mostValues, counted, pace);
    else counted.values += 1;
  }
}
