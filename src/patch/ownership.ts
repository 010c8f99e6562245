// What every write does to the managers of an object: they lose what changed, is gone, or is tracked no more.
// Requirements: document 1, "Server-side apply rules", rules 2, 4, 5, 10.

import type { Json, JsonObject } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { ApiObject } from "../meta/object.ts";
import type { StructSchema } from "../schema/schema.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";
import type { ApplyConflict } from "./apply-conflict.ts";
import {
  areDisjoint,
  type FieldNode,
  type FieldSet,
  fieldSet,
  intersectSets,
  isEmptySet,
  isSubset,
  put,
  subtractSets,
  subtractTrees,
  unionSets,
} from "./field-set.ts";
import { intersectInSteps, listPathsInSteps, subtractInSteps, unionOf } from "./field-set-in-steps.ts";
import { type Manager, type Managers, withSet } from "./managed-fields.ts";
import { fieldPath, type PathElement } from "./path-element.ts";
import { type Atom, atomOf } from "./typed/atom.ts";
import { type Comparison, compareTyped, compareTypedInSteps } from "./typed/compare.ts";
import { reconcileFieldSet, reconcileFieldSetInSteps } from "./typed/reconcile.ts";

/** What ownership needs to know about the endpoint that a write goes to. */
export interface WriteContext {
  readonly schema: StructSchema;
  /** Of the endpoint, and so of the objects and of the entry that the write leaves. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for the object itself. */
  readonly subresource?: string;
  /** Paths whose ownership this endpoint does not track: ["status"] for the object, ["spec"] for its status. */
  readonly resetFields?: readonly (readonly string[])[];
  /** The object in another version, for entries written there; undefined when there is no such version any more. */
  readonly convert?: ((object: ApiObject, apiVersion: string) => Steps<VersionedObject | undefined>) | undefined;
  /** RFC 3339, whole seconds. */
  readonly now: string;
}

interface VersionedObject {
  readonly object: ApiObject;
  readonly schema: StructSchema;
}

/** A value with the atom of its schema. */
export interface TypedValue {
  readonly value: Json;
  readonly atom: Atom;
}

/** Reads objects in the versions that entries were written in. */
export class Versions {
  readonly #context: WriteContext;
  readonly #cache = new Map<string, Map<Json, TypedValue | undefined>>();

  constructor(context: WriteContext) {
    this.#context = context;
  }

  /** Undefined when there is no such version any more. */
  *at(apiVersion: string, { value, atom }: TypedValue, from = this.#context.apiVersion): Steps<TypedValue | undefined> {
    if (apiVersion === from) return { value, atom };
    let known = this.#cache.get(apiVersion);
    if (known === undefined) {
      known = new Map();
      this.#cache.set(apiVersion, known);
    }
    if (!known.has(value)) known.set(value, yield* this.#convert(apiVersion, value as JsonObject, from));
    return known.get(value);
  }

  *#convert(apiVersion: string, value: JsonObject, from: string): Steps<TypedValue | undefined> {
    const { convert, kind } = this.#context;
    // What is left of an object need not say what it is.
    if (convert === undefined) return undefined;
    const converted = yield* convert(fromJson({ metadata: {}, ...value, apiVersion: from, kind }), apiVersion);
    return converted && { value: toJson(converted.object), atom: atomOf(converted.schema) };
  }
}

/**
 * What managers own, read under today's markers. Whose version is no more keeps what it had: nobody can tell better. What is
 * `large` is gone through in steps.
 */
export function* reconcileManagers(
  managers: Managers,
  live: TypedValue,
  versions: Versions,
  large: boolean,
): Steps<Map<string, Manager>> {
  const result = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (result.size > 0) yield;
    const atom = (yield* versions.at(manager.apiVersion, live))?.atom;
    if (atom === undefined) result.set(id, manager);
    else {
      const { set } = manager;
      const reconciled = large ? yield* reconcileFieldSetInSteps(set, atom) : reconcileFieldSet(set, atom);
      result.set(id, withSet(manager, reconciled));
    }
  }
  return result;
}

type Settled = {
  /** Whether anything was, or with force would be, taken from a manager. */
  readonly takes: boolean;
} & (
  | { readonly managers: Map<string, Manager>; readonly comparison: Comparison; readonly conflicts?: undefined }
  | { readonly conflicts: readonly ApplyConflict[] }
);

/** By version: what changed, undefined where there is no such version any more. */
type Comparisons = ReadonlyMap<string, Comparison | undefined>;

/**
 * What changed between the two objects, in the versions of the managers but `self`, and in that of the write. What is
 * `large` is compared in steps.
 */
export function* compareForManagers(
  managers: Managers,
  self: string | undefined,
  before: TypedValue,
  after: TypedValue,
  context: WriteContext,
  versions: Versions,
  large: boolean,
): Steps<Comparisons> {
  const own = yield* comparisonAt(context.apiVersion, before, after, context, versions, large);
  const comparisons = new Map([[context.apiVersion, own]]);
  for (const [id, { apiVersion }] of managers) {
    if (id === self || comparisons.has(apiVersion)) continue;
    yield;
    comparisons.set(apiVersion, yield* comparisonAt(apiVersion, before, after, context, versions, large));
  }
  return comparisons;
}

/**
 * Whether only values changed, and only such that `self` owns and nobody else: then everybody keeps what they have. Most
 * updates are of this kind: renewed leases, reported states.
 */
export function changesOwnValuesOnly(managers: Managers, self: string, comparisons: Comparisons): boolean {
  for (const comparison of comparisons.values()) {
    if (comparison === undefined) return false;
    const { added, modified, removed } = comparison;
    if (!isEmptySet(added) || !isEmptySet(removed) || isEmptySet(modified)) return false;
    if (!areDisjoint(modified, SERVER_FIELDS)) return false;
  }
  for (const [id, { set, apiVersion }] of managers) {
    const { modified } = comparisons.get(apiVersion)!;
    if (isEmptySet(set) || !(id === self ? isSubset(modified, set) : areDisjoint(modified, set))) return false;
  }
  return managers.has(self);
}

/**
 * Takes from everybody but `self` what changed. Without force, taking something that another manager owns is a conflict.
 * What is `large` is gone through in steps.
 */
export function* settleOwnership(
  managers: Managers,
  self: string | undefined,
  comparisons: Comparisons,
  context: WriteContext,
  { force, large, isNew = false }: { readonly force: boolean; readonly large: boolean; readonly isNew?: boolean },
): Steps<Settled> {
  const settled = new Map<string, Manager>();
  const conflicts: ApplyConflict[] = [];
  let takes = false;
  for (const id of [...managers.keys()].sort(compareByBytes)) {
    const manager = managers.get(id)!;
    const changes = id === self ? undefined : comparisons.get(manager.apiVersion);
    if (changes === undefined) {
      settled.set(id, manager);
      continue;
    }
    const { taken, kept } = large
      ? yield* lossesInSteps(manager.set, changes, isNew)
      : lossesOf(manager.set, changes, isNew);
    if (!isEmptySet(taken)) takes = true;
    if (!isEmptySet(taken) && !force) {
      for (const path of yield* listPathsInSteps(taken)) conflicts.push({ manager, path });
    }
    yield;
    if (!isEmptySet(kept)) settled.set(id, withSet(manager, kept));
  }
  if (conflicts.length > 0) return { takes, conflicts };
  return { takes, managers: settled, comparison: comparisons.get(context.apiVersion)! };
}

/** Of what is set anew, only what the other comparison finds changed in any way; what is set to what it was is left out. */
export function* thatChange(comparisons: Comparisons, others: Comparisons): Steps<Comparisons> {
  const result = new Map<string, Comparison | undefined>();
  for (const [apiVersion, comparison] of comparisons) {
    yield;
    const other = others.get(apiVersion);
    result.set(apiVersion, comparison && other && (yield* restricted(comparison, other)));
  }
  return result;
}

function* restricted({ added, modified, removed }: Comparison, other: Comparison): Steps<Comparison> {
  const set = yield* unionOf(other.added, other.modified, true);
  const changed = yield* unionOf(set, other.removed, true);
  return {
    added: yield* intersectInSteps(added, changed),
    modified: yield* intersectInSteps(modified, changed),
    removed,
  };
}

/** Undefined when there is no such version any more. */
function* comparisonAt(
  apiVersion: string,
  before: TypedValue,
  after: TypedValue,
  context: WriteContext,
  versions: Versions,
  large: boolean,
): Steps<Comparison | undefined> {
  const left = yield* versions.at(apiVersion, before);
  const right = yield* versions.at(apiVersion, after);
  if (left === undefined || right === undefined) return undefined;
  const sides = [left.value, right.value, left.atom] as const;
  const comparison = large ? yield* compareTypedInSteps(...sides) : compareTyped(...sides);
  return withoutReset(comparison, untrackedOf(context).reset);
}

/** The set without what this endpoint does not track. */
export function tracked(set: FieldSet, context: WriteContext): FieldSet {
  return subtractTrees(set, untrackedOf(context).reset);
}

/** The set without what no manager ever owns: what identifies the object and what the server keeps in it. */
export function withoutServerFields(set: FieldSet): FieldSet {
  return subtractSets(set, SERVER_FIELDS);
}

/** What nobody owns of a new object: what the endpoint does not track, and what the server keeps in it. */
export function untrackedInCreated(context: WriteContext): FieldSet {
  return untrackedOf(context).inCreated;
}

export const toJson = (object: ApiObject): JsonObject => object as unknown as JsonObject;
export const fromJson = (value: JsonObject): ApiObject => value as unknown as ApiObject;

const SERVER_LEAVES = fieldSet(
  fieldPath("apiVersion"),
  fieldPath("kind"),
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => fieldPath("metadata", name)),
);
const SERVER_FIELDS = unionSets(SERVER_LEAVES, fieldSet(fieldPath("metadata")));

interface Untracked {
  readonly reset: FieldSet;
  readonly inCreated: FieldSet;
}

const UNTRACKED = new WeakMap<readonly (readonly string[])[], Untracked>();
const NO_RESET: readonly (readonly string[])[] = [];

function untrackedOf({ resetFields = NO_RESET }: WriteContext): Untracked {
  let untracked = UNTRACKED.get(resetFields);
  if (untracked === undefined) {
    const reset = fieldSet(...resetFields.map((names) => fieldPath(...names)));
    untracked = { reset, inCreated: unionSets(reset, SERVER_LEAVES) };
    UNTRACKED.set(resetFields, untracked);
  }
  return untracked;
}

function withoutReset(comparison: Comparison, reset: FieldSet): Comparison {
  if (isEmptySet(reset)) return comparison;
  return {
    added: subtractTrees(comparison.added, reset),
    modified: subtractTrees(comparison.modified, reset),
    removed: subtractTrees(comparison.removed, reset),
  };
}

interface Losses {
  /** What was changed of the set. */
  readonly taken: FieldSet;
  /** What is left of it; the very set where that is all. */
  readonly kept: FieldSet;
}

/** Of a new object nobody owns a place: what its managers are said to own was never theirs. */
function lossesOf(set: FieldSet, { modified, added, removed }: Comparison, isNew: boolean): Losses {
  const both = intersectSets(set, added);
  const filled = isNew ? both : leavesIn(both, added);
  const taken = unionSets(intersectSets(set, modified), filled);
  const left = isEmptySet(taken) ? set : subtractSets(set, taken);
  return { taken, kept: areDisjoint(left, removed) ? left : subtractSets(left, removed) };
}

/**
 * What of the set was added as one unit. Who owns a place that was not there wanted it empty, and keeps it when others
 * put something into it: theirs is only what stands below.
 */
function leavesIn(set: FieldSet, added: FieldSet): FieldSet {
  if (isEmptySet(set)) return set;
  const result = new Map<PathElement, FieldNode>();
  for (const [element, node] of set) {
    const { children } = added.get(element)!;
    const below = node.children && children && leavesIn(node.children, children);
    put(result, element, node.member && children === undefined, below);
  }
  return result;
}

/** The losses from large sets. */
function* lossesInSteps(set: FieldSet, { modified, added, removed }: Comparison, isNew: boolean): Steps<Losses> {
  const both = yield* intersectInSteps(set, added);
  const filled = isNew ? both : leavesIn(both, added);
  yield;
  const taken = yield* unionOf(yield* intersectInSteps(set, modified), filled, true);
  yield;
  const left = isEmptySet(taken) ? set : yield* subtractInSteps(set, taken);
  yield;
  const isWhole = isEmptySet(yield* intersectInSteps(left, removed));
  return { taken, kept: isWhole ? left : yield* subtractInSteps(left, removed) };
}
