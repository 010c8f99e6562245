// Server-side apply: the intent of one manager merged into the object, and who owns what afterwards.
// Requirements: document 1, "Server-side apply rules".

import { cloneJson, equalJson, isObject, type Json, type JsonObject } from "../base/json.ts";
import { equalJsonInSteps } from "../base/json-in-steps.ts";
import { atOnce, type Steps } from "../base/steps.ts";
import { type ApiObject, parseApiVersion } from "../meta/object.ts";
import { badRequest, internalError } from "../meta/status-error.ts";
import type { ApplyConflict } from "./apply-conflict.ts";
import { emptyObject } from "./empty-object.ts";
import { isEmptySet } from "./field-set.ts";
import { areEqualSets } from "./field-set-in-steps.ts";
import { appliedBefore, syncLastApplied } from "./last-applied.ts";
import { decodeManagedFieldsInSteps, encodeManagedFieldsInSteps, type Manager, managerId } from "./managed-fields.ts";
import { withMetadata, withoutManagedFields } from "./object-parts.ts";
import {
  compareForManagers,
  fromJson,
  reconcileManagers,
  settleOwnership,
  type TypedValue,
  thatChange,
  toJson,
  tracked,
  Versions,
  type WriteContext,
  withoutServerFields,
} from "./ownership.ts";
import { pruneDropped } from "./prune.ts";
import { takeChanges } from "./track-update.ts";
import { atomOf } from "./typed/atom.ts";
import { extractFieldSetInSteps } from "./typed/extract.ts";
import { mergeTyped, mergeTypedInSteps } from "./typed/merge.ts";
import { TypedError } from "./typed/typed-error.ts";
import { validateTypedInSteps } from "./typed/validate.ts";

export interface ApplyInput extends WriteContext {
  /** What is stored, with defaults; undefined when the apply creates. */
  readonly live: ApiObject | undefined;
  /** The body as sent: not defaulted, not conformed. */
  readonly intent: ApiObject;
  readonly manager: string;
  readonly force: boolean;
  /** What is merged, without managedFields, as it will be stored: values in their canonical form, empty ones dropped. */
  readonly shape?: (merged: JsonObject) => Steps<JsonObject>;
  /** Where clients that apply on their side keep their last intent; kubectl's move to this side is free of conflicts. */
  readonly lastAppliedAnnotation?: string;
}

type ApplyResult =
  | {
      /**
       * The merged object with its new managedFields. Fields that were removed are absent and the intent's values stand
       * as sent: the caller conforms and defaults. It shares parts with the live object and the intent.
       */
      readonly object: ApiObject;
      /** Whether anything but ownership changed. */
      readonly changed: boolean;
      readonly conflicts?: undefined;
    }
  | { readonly conflicts: readonly ApplyConflict[] };

/** Who owns the fields of an object that was not tracked before its first apply. */
const BEFORE_FIRST_APPLY = "before-first-apply";
/** Only this manager is known to have applied on the client's side before. */
const CLIENT_SIDE_MANAGER = "kubectl";

/** Throws 400 when the intent is of another kind, sets managedFields, or does not fit the schema. */
export function applyIntent(input: ApplyInput): ApplyResult {
  return atOnce(applyIntentInSteps(input, false));
}

/** The same for large objects, of which each part takes long, unless told that it is not `large`. */
export function* applyIntentInSteps(input: ApplyInput, large = true): Steps<ApplyResult> {
  try {
    return yield* apply(input, large);
  } catch (error) {
    // The intent has been checked by then: what does not fit is in the store.
    if (error instanceof TypedError) throw internalError(`failed to create typed live object: ${error.message}`);
    throw error;
  }
}

function* apply(input: ApplyInput, large: boolean): Steps<ApplyResult> {
  checkIntent(input);
  const atom = atomOf(input.schema);
  const intent = withoutManagedFields(toJson(input.intent));
  yield* validateIntent(intent, { value: intent, atom });
  yield;

  // A copy: what is returned shares parts with it, and the caller changes what it stores.
  const live =
    input.live === undefined ? cloneJson(emptyObject(input.schema)) : withoutManagedFields(toJson(input.live));
  yield;
  const managers = yield* managersOf(input, live, large);
  yield;
  const typedIntent = { value: intent, atom };
  let result = yield* applyOnce(input, { value: live, atom }, typedIntent, managers, { force: input.force, large });
  if (result.conflicts !== undefined && clientSide(input)) {
    const allowed = appliedBefore(live, input.lastAppliedAnnotation!, input.apiVersion, atom);
    const left = allowed && result.conflicts.filter(({ path }) => !allowed(path));
    if (left === undefined || left.length > 0) return { conflicts: left ?? result.conflicts };
    result = yield* applyOnce(input, { value: live, atom }, typedIntent, managers, { force: true, large });
  }
  if (result.conflicts !== undefined || !clientSide(input)) return result;
  const object = syncLastApplied(toJson(result.object), intent, input.lastAppliedAnnotation!);
  return { object: fromJson(object), changed: result.changed || !equalJson(object, toJson(result.object)) };
}

function* applyOnce(
  input: ApplyInput,
  live: TypedValue,
  intent: TypedValue,
  start: ReadonlyMap<string, Manager>,
  { force, large }: { readonly force: boolean; readonly large: boolean },
): Steps<ApplyResult> {
  const versions = new Versions(input);
  const managers = yield* reconcileManagers(start, live, versions, large);
  yield;
  const self: Manager = {
    name: input.manager,
    operation: "Apply",
    apiVersion: input.apiVersion,
    subresource: input.subresource ?? "",
    time: undefined,
    set: tracked(yield* extractFieldSetInSteps(intent.value, intent.atom), input),
  };
  const id = managerId(self);
  const previous = managers.get(id);
  managers.set(id, self);
  yield;

  const { atom } = live;
  const sides = [live.value, intent.value, atom] as const;
  const merged = { value: large ? yield* mergeTypedInSteps(...sides) : mergeTyped(...sides), atom };
  yield;
  const pruned = yield* pruneDropped(merged, previous, self, managers, versions);
  yield;
  const options = { force, large };
  const compared = yield* compareForManagers(managers, id, live, pruned, input, versions, large);
  yield;
  let settled = yield* settleOwnership(managers, id, compared, input, options);
  if (settled.takes && input.shape !== undefined) {
    // What others own may only be said in other words than the stored ones, and stays theirs too.
    yield;
    const stored = { value: yield* input.shape(pruned.value as JsonObject), atom };
    yield;
    const changed = yield* compareForManagers(managers, id, live, stored, input, versions, large);
    yield;
    settled = yield* settleOwnership(managers, id, yield* thatChange(compared, changed), input, options);
  }
  if (settled.conflicts !== undefined) return settled;

  const changed = !(yield* equalJsonInSteps(pruned.value, live.value));
  yield;
  const owned = withoutServerFields(self.set);
  if (isEmptySet(owned)) settled.managers.delete(id);
  else {
    yield;
    const same = previous !== undefined && (yield* areEqualSets(previous.set, owned, large));
    const encoded = same ? previous.encoded : undefined;
    settled.managers.set(id, { ...self, set: owned, encoded, time: changed ? input.now : previous?.time });
  }

  yield;
  const entries = (yield* encodeManagedFieldsInSteps(settled.managers, large)) as unknown as Json[] | undefined;
  const object = changed ? (pruned.value as JsonObject) : (live.value as JsonObject);
  return { object: fromJson(withMetadata(object, "managedFields", entries)), changed };
}

/** The managers of the live object; all that stands in one that nobody tracked belongs to a manager of its own. */
function* managersOf(input: ApplyInput, live: JsonObject, large: boolean): Steps<ReadonlyMap<string, Manager>> {
  let managers: ReadonlyMap<string, Manager>;
  try {
    managers = yield* decodeManagedFieldsInSteps(input.live?.metadata.managedFields, large);
  } catch {
    managers = new Map();
  }
  if (managers.size > 0 || input.live === undefined) return managers;
  return yield* takeChanges(managers, emptyObject(input.schema), live, BEFORE_FIRST_APPLY, input, large);
}

function checkIntent({ intent, apiVersion, kind }: ApplyInput): void {
  if (intent.apiVersion !== apiVersion || intent.kind !== kind) {
    throw badRequest(`invalid object type: ${describeKind(intent.apiVersion, intent.kind)}`);
  }
  const sent = isObject(intent.metadata) ? intent.metadata.managedFields : undefined;
  if (sent !== undefined && sent !== null) {
    throw badRequest("metadata.managedFields must be nil");
  }
}

function* validateIntent(intent: JsonObject, typed: TypedValue): Steps<void> {
  try {
    yield* validateTypedInSteps(typed.value, typed.atom);
  } catch (error) {
    if (!(error instanceof TypedError)) throw error;
    const metadata = isObject(intent["metadata"]) ? intent["metadata"] : {};
    const name = `${metadata["namespace"] ?? ""}/${metadata["name"] ?? ""}`;
    const type = describeKind(intent["apiVersion"], intent["kind"]);
    throw badRequest(`failed to create typed patch object (${name}; ${type}): ${error.message}`);
  }
}

function describeKind(apiVersion: unknown, kind: unknown): string {
  const parsed = typeof apiVersion === "string" ? parseApiVersion(apiVersion) : undefined;
  return `${parsed?.group ?? ""}/${parsed?.version ?? ""}, Kind=${typeof kind === "string" ? kind : ""}`;
}

function clientSide(input: ApplyInput): boolean {
  return input.manager === CLIENT_SIDE_MANAGER && input.lastAppliedAnnotation !== undefined;
}
