// Ownership after a write that is no apply: create, PUT, and the other patches. They never fail on ownership; who changes
// a value owns it. Requirements: document 1, "Server-side apply rules", rules 5 and 8.

import { isObject, type JsonObject } from "../base/json.ts";
import { equalMembersInSteps } from "../base/json-in-steps.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import type { ApiObject, ManagedFieldsEntry } from "../meta/object.ts";
import { createdFields, createdFieldsInSteps } from "./created-fields.ts";
import { emptyObject } from "./empty-object.ts";
import { EMPTY_SET, type FieldSet, isEmptySet } from "./field-set.ts";
import { areEqualSets, unionOf } from "./field-set-in-steps.ts";
import {
  capUpdateManagers,
  decodeManagedFieldsInSteps,
  encodeManagedFieldsInSteps,
  entryOf,
  type Manager,
  type Managers,
  managerId,
} from "./managed-fields.ts";
import { UNKNOWN_MANAGER } from "./manager-name.ts";
import { withoutManagedFields } from "./object-parts.ts";
import {
  changesOwnValuesOnly,
  compareForManagers,
  reconcileManagers,
  settleOwnership,
  type TypedValue,
  toJson,
  tracked,
  untrackedInCreated,
  Versions,
  type WriteContext,
  withoutServerFields,
} from "./ownership.ts";
import { atomOf } from "./typed/atom.ts";
import { TypedError } from "./typed/typed-error.ts";

export interface UpdateInput extends WriteContext {
  /** What is stored; undefined on create. */
  readonly live: ApiObject | undefined;
  /** What is about to be stored, with the managedFields that the client sent. */
  readonly updated: ApiObject;
  readonly manager: string;
  /**
   * document: only a list with one empty entry resets, and the caller owns what it changes with the same request.
   * upstream: an empty list resets too, and after a reset nothing is tracked until the first apply.
   */
  readonly resetRule: "document" | "upstream";
}

/** The managedFields to store; undefined for none. */
export function trackUpdate(input: UpdateInput): ManagedFieldsEntry[] | undefined {
  return atOnce(trackUpdateInSteps(input, false));
}

/** The same for large objects, of which each part takes long, unless told that it is not `large`. */
export function* trackUpdateInSteps(input: UpdateInput, large = true): Steps<ManagedFieldsEntry[] | undefined> {
  const { live, updated } = input;
  const { managers, reset } = yield* startingManagers(input, large);
  // An object that is not tracked stays so until the first apply.
  const tracks = managers.size > 0 || live === undefined || (reset && input.resetRule === "document");
  if (!tracks) return undefined;
  try {
    if (live === undefined && managers.size === 0) return yield* createdEntries(input, large);
    const before = live === undefined ? emptyObject(input.schema) : withoutManagedFields(toJson(live));
    const after = withoutManagedFields(toJson(updated));
    const taken = yield* takeChanges(managers, before, after, input.manager, input, large, live === undefined);
    yield;
    return yield* encodeManagedFieldsInSteps(capUpdateManagers(taken), large);
  } catch (error) {
    // An object that merging cannot read (an item without its key, say) can still be stored: nobody owns anything of it.
    if (error instanceof TypedError) return undefined;
    throw error;
  }
}

/** One entry, or none: there is nobody yet to take anything from. */
function* createdEntries(input: UpdateInput, large: boolean): Steps<ManagedFieldsEntry[] | undefined> {
  const { schema, updated } = input;
  const place = [emptyObject(schema), toJson(updated), atomOf(schema), untrackedInCreated(input)] as const;
  const fields = large ? yield* createdFieldsInSteps(...place) : createdFields(...place);
  for (const _owned in fields) return [entryOf(selfOf(input.manager, input, EMPTY_SET, fields))];
  return undefined;
}

/** Member by member: every write does this, and spread objects are slow to make and to read. */
function selfOf(manager: string, context: WriteContext, set: FieldSet, encoded?: Manager["encoded"]): Manager {
  return {
    name: manager === "" ? UNKNOWN_MANAGER : manager,
    operation: "Update",
    apiVersion: context.apiVersion,
    subresource: context.subresource ?? "",
    time: context.now,
    set,
    encoded,
  };
}

/** The managers after `manager` changed one object into the other. `isNew`: made it of nothing. */
export function* takeChanges(
  managers: Managers,
  before: JsonObject,
  after: JsonObject,
  manager: string,
  context: WriteContext,
  large: boolean,
  isNew = false,
): Steps<Managers> {
  const atom = atomOf(context.schema);
  const live: TypedValue = { value: before, atom };
  const versions = new Versions(context);
  const reconciled = yield* reconcileManagers(managers, live, versions, large);
  yield;
  const changes = [live, { value: after, atom }, context, versions] as const;
  const comparisons = yield* compareForManagers(reconciled, undefined, ...changes, large);
  yield;
  const id = managerId(selfOf(manager, context, EMPTY_SET));
  // What is large goes in steps.
  const own = large ? undefined : reconciled.get(id);
  if (own !== undefined && changesOwnValuesOnly(reconciled, id, comparisons))
    return new Map(reconciled).set(id, selfOf(manager, context, own.set, own.encoded));
  const settled = yield* settleOwnership(reconciled, undefined, comparisons, context, { force: true, large, isNew });
  if (settled.conflicts !== undefined) throw new Error("an update does not conflict");

  yield;
  const { modified, added } = settled.comparison;
  const changed = yield* unionOf(modified, added, large);
  const taken = withoutServerFields(tracked(changed, context));
  if (isEmptySet(taken)) return settled.managers;
  const rest = settled.managers.get(id);
  yield;
  const owned = rest === undefined ? taken : yield* unionOf(rest.set, taken, large);
  yield;
  // Most updates change values of fields that are the manager's own already: their wire form stays.
  const last = reconciled.get(id);
  const encoded = last !== undefined && (yield* areEqualSets(last.set, owned, large)) ? last.encoded : undefined;
  settled.managers.set(id, selfOf(manager, context, owned, encoded));
  return settled.managers;
}

/**
 * The managedFields to store when the write changes nothing but times: those of before, so that the write is none.
 * Otherwise those of the updated object.
 */
export function* keepTimesWhenUnchanged(
  live: ApiObject,
  updated: ApiObject,
  large = true,
): Steps<ManagedFieldsEntry[] | undefined> {
  const before = live.metadata.managedFields;
  const after = updated.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return after;
  // Most writes change something: what they change is looked at first.
  if (!(yield* equalMembersInSteps(toJson(live), toJson(updated), "metadata", large))) return after;
  const [was, is] = [toJson(live)["metadata"], toJson(updated)["metadata"]];
  if (!isObject(was) || !isObject(is) || !(yield* equalMembersInSteps(was, is, "managedFields", large))) return after;
  for (const [index, entry] of before.entries())
    if (!(yield* equalMembersInSteps(members(entry), members(after[index]!), "time", large))) return after;
  return before;
}

const members = (entry: ManagedFieldsEntry): JsonObject => entry as JsonObject;

/** Clients may edit managedFields; what cannot be read, or says nothing, does not count. */
function* startingManagers(
  input: UpdateInput,
  large: boolean,
): Steps<{
  readonly managers: Managers;
  readonly reset: boolean;
}> {
  const { live, updated, subresource, resetRule } = input;
  const sent = updated.metadata.managedFields;
  if (!subresource && sent !== undefined && sent !== null) {
    const emptyEntry = sent.length === 1 && Object.keys(sent[0] ?? {}).length === 0;
    if (emptyEntry || (sent.length === 0 && resetRule === "upstream")) return { managers: new Map(), reset: true };
    const managers = yield* readable(sent, large);
    // What a new object says about a version that its kind does not have is no knowledge of anybody.
    if (live === undefined)
      for (const [id, { apiVersion }] of managers) if (!(yield* isKnown(apiVersion, input))) managers.delete(id);
    if (managers.size > 0) return { managers, reset: false };
  }
  return { managers: yield* readable(live?.metadata.managedFields, large), reset: false };
}

function* isKnown(apiVersion: string, { apiVersion: own, convert, updated }: UpdateInput): Steps<boolean> {
  return apiVersion === own || (convert !== undefined && (yield* convert(updated, apiVersion)) !== undefined);
}

function* readable(entries: readonly ManagedFieldsEntry[] | undefined, large: boolean): Steps<Map<string, Manager>> {
  try {
    return yield* decodeManagedFieldsInSteps(entries, large);
  } catch {
    return new Map();
  }
}
