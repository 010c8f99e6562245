// The write path, update: its stages in order, for PUT, every patch and the sub-resources that write a part of an object.
// Requirements: document 1, "Update mechanisms".

import { append } from "../base/append.ts";
import { cloneJson } from "../base/json.ts";
import { cloneJsonInSteps, equalJsonInSteps } from "../base/json-in-steps.ts";
import type { Steps } from "../base/steps.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { invalid } from "../meta/field-error.ts";
import { type ApiObject, type GroupVersionKind, nextGeneration } from "../meta/object.ts";
import { cutText } from "../meta/quoted.ts";
import { conflict, internalError, invalidObject, notFoundObject } from "../meta/status-error.ts";
import type { StoredEntry } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";
import type { AdmissionRequest } from "./admission.ts";
import { AFTER_ADMISSION, storeNewObject, warnOwnerReferences } from "./create-object.ts";
import { mayCrowdKind, refuseCrowdedObject } from "./encoding/crowded-body.ts";
import { recordUpdate, settleTimes } from "./field-managers.ts";
import { placeObject } from "./incoming-object.ts";
import { hasSeveralOwners, validateMetadataUpdate } from "./metadata.ts";
import { sameStoredType } from "./object-bytes.ts";
import { decodeOrCorrupt } from "./read-object.ts";
import type { WriteEnd } from "./served-resource.ts";
import { MODIFIED, toStatusError } from "./storage-errors.ts";
import { storedFormOf } from "./stored-form.ts";
import {
  admissionRequest,
  convertedBytes,
  errorGroup,
  hookContext,
  isLarge,
  refuseLate,
  stepByStep,
  takeAdmitted,
  turnOf,
  type WriteDeps,
  type WriteRequest,
  type Written,
} from "./write.ts";

/** A write without a version tries again when another one came between; so often at the most. */
const MAX_ATTEMPTS = 64;

export interface ObjectChange {
  /**
   * The new object, made from the stored one (undefined: there is none), in the request's version, shaped and defaulted.
   * Called again with the newer object after a conflict. Gets its own copy, unless it leaves that as it is, and the size of
   * what is stored.
   */
  next(current: ApiObject | undefined, storedBytes?: number): ApiObject | Promise<ApiObject>;
  /** The new object shares nothing with the stored one, which is not changed on the way to it. */
  readonly leavesCurrent?: boolean;
  /** The change has set the managers itself (apply). */
  readonly managesFields?: boolean;
  /** An effect of another request, which admission has seen and whose fields nobody owns (a binding). */
  readonly internal?: boolean;
  /** What the object must be, beyond the resourceVersion in it. */
  readonly expected?: { readonly uid?: string; readonly resourceVersion?: string };
  /** Creates what is absent; asks whether the caller may create. Absent: 404. */
  readonly create?: { authorize(): Promise<void> };
  /** A patch need not name a version, whatever the kind says. */
  readonly versionOptional?: boolean;
  /** Admission sees the object in another form (a scale). */
  readonly admittedAs?: AdmittedForm;
}

interface AdmittedForm {
  readonly kind: GroupVersionKind;
  of(object: ApiObject): ApiObject;
  /** Takes what admission has made of the form into the object. */
  take(object: ApiObject, form: ApiObject): void;
}

export async function updateObject(deps: WriteDeps, request: WriteRequest, change: ObjectChange): Promise<Written> {
  const { resource, namespace, name } = request;
  const { store, kind } = resource;
  if (store === undefined) throw internalError(`${kind.kind} cannot be stored`);
  const key = store.keyOf(namespace, name);
  for (let attempt = 1; ; attempt += 1) {
    try {
      const entry = await store.get(key);
      if (entry === undefined) return await createAbsent(deps, request, change);
      return await replace(deps, request, change, key, entry);
    } catch (error) {
      const retry = error instanceof VersionlessConflict && attempt < MAX_ATTEMPTS && !request.caller.signal.aborted;
      if (retry) continue;
      const cause = error instanceof VersionlessConflict ? error.cause : error;
      throw toStatusError(cause, resource.subject, name);
    }
  }
}

/** Another write came between, and the client did not say which version it meant. */
class VersionlessConflict extends Error {}

async function createAbsent(deps: WriteDeps, request: WriteRequest, change: ObjectChange): Promise<Written> {
  const { resource, name } = request;
  if (change.create === undefined) throw notFoundObject(resource.subject, name);
  const object = await change.next(undefined);
  if (mayCrowdKind(resource.kind, request.bodyBytes ?? 0))
    await stepByStep(request, 0, refuseCrowdedObject(object, undefined, resource.kind));
  const { uid: sentUid = "", resourceVersion: sentVersion } = object.metadata;
  checkExpected(request, change, undefined);
  if (change.managesFields === true && sentUid !== "") {
    const why = `uid mismatch: the provided object specified uid ${cutText(sentUid)}, and no existing object was found`;
    throw conflict(resource.subject, name, why);
  }
  await change.create.authorize();
  placeObject(request, object);
  // A version or uid in the body was meant for an object that is gone.
  delete object.metadata.resourceVersion;
  delete object.metadata.uid;
  const written = await storeNewObject(deps, request, object, change.managesFields === true);
  // A dry run has no version of its own to show.
  if (request.dryRun && sentVersion !== undefined) written.object.metadata.resourceVersion = sentVersion;
  return written;
}

async function replace(
  deps: WriteDeps,
  request: WriteRequest,
  change: ObjectChange,
  key: string,
  entry: StoredEntry,
): Promise<Written> {
  const { resource, subresource, name } = request;
  const { kind, collaborator, subject } = resource;
  const store = resource.store!;
  const storedBytes = entry.value.length;
  const inOrder = <T>(steps: Steps<T>) => stepByStep(request, storedBytes, steps);
  const old = await decodeOrCorrupt(resource, entry, request.caller);
  request.bodyBytes = convertedBytes(resource, old, request.bodyBytes ?? 0);
  let large = isLarge(request, storedBytes);
  const { metadata: was } = old;
  checkExpected(request, change, old);

  if (large) await turnOf(request.caller);
  const current = change.leavesCurrent === true ? old : large ? await inOrder(cloneJsonInSteps(old)) : cloneJson(old);
  if (large) await turnOf(request.caller);
  let object = await change.next(current, storedBytes);
  if (large || mayCrowdKind(kind, request.bodyBytes ?? 0)) {
    await turnOf(request.caller);
    await inOrder(refuseCrowdedObject(object, old, kind));
    await turnOf(request.caller);
  }
  const versionless = keepVersion(request, change, object, old);
  placeObject(request, object);
  keepSystemFields(object, old);
  if (hasSeveralOwners(object)) await warnOwnerReferences(request, storedBytes, object);

  if (change.managesFields !== true && change.internal !== true) {
    const recorded = recordUpdate(deps, request, object, old, storedBytes);
    if (recorded !== undefined) await recorded;
  }
  if (large) await turnOf(request.caller);

  if (change.internal !== true) {
    const admission = updateAdmission(request, change, object, old);
    await deps.admission.mutate(admission);
    if (change.admittedAs !== undefined) change.admittedAs.take(object, admission.object!);
    else if (admission.object !== object) object = await takeAdmitted(request, admission, object);
    large = isLarge(request, storedBytes);
    keepSystemFields(object, old);
    if (hasSeveralOwners(object)) await warnOwnerReferences(request, storedBytes, object, AFTER_ADMISSION);
  }

  const begun = subresource === "" ? await collaborator?.begin(object, old, { dryRun: request.dryRun }) : undefined;
  let end: WriteEnd = "failed";
  try {
    if (was.generation === undefined) delete object.metadata.generation;
    else object.metadata.generation = was.generation;
    await inOrder(prepared(deps, request, object, old));

    if (change.internal !== true) await deps.admission.validate(updateAdmission(request, change, object, old));

    await inOrder(settleTimes(object, old, large));
    const form = await storedFormOf(request, object, storedBytes);
    large = isLarge(request, storedBytes);
    const answer = (revision: number): Written => form.written(revision, false);
    // What is kept in a version that is no longer the stored one is written all the same: so it moves.
    const sameType = sameStoredType(form.bytes, entry.value);
    const unchanged = sameType && (await inOrder(showsTheSame(form.shown, object, old, large)));
    if (request.dryRun) return form.rehearsed(String(entry.revision), false);
    if (unchanged) return answer(entry.revision);
    refuseLate(request);
    try {
      if (endsNow(kind, object, was)) {
        end = await store.delete(key, entry.revision, form.attachment);
        await collaborator?.released?.(object, end);
        return answer(entry.revision);
      }
      const revision = await store.update(key, form.attachment, form.bytes, entry.revision, begun?.guard?.());
      request.caller.goOn?.();
      end = revision;
      if (resource.storedForm && form.attachment !== undefined)
        store.keepWritten(key, revision, form.attachment, form.bytes.length);
      return answer(revision);
    } catch (error) {
      if (isStorageError(error, "Undecided")) end = "undecided";
      const raced = isStorageError(error, "RevisionMismatch", "KeyNotFound");
      if (raced && versionless) throw new VersionlessConflict("", { cause: error });
      throw toStatusError(error, subject, name);
    }
  } finally {
    await begun?.end(end);
  }
}

/** Makes the object what will be stored, but for what admission has to say of it. Fails with 422. */
function* prepared(deps: WriteDeps, request: WriteRequest, object: ApiObject, old: ApiObject): Steps<void> {
  const { resource, subresource, name, warnings } = request;
  const { kind, rules } = resource;
  const { names } = deps;
  const context = hookContext(deps, request);
  yield* rules.prepareForUpdate(object, old, subresource, context);
  if (kind.generation && subresource !== "status" && subresource !== "binding") {
    const changed = yield* desiredChanged(object, old, kind);
    if (changed) object.metadata.generation = nextGeneration(old.metadata);
  }
  yield;
  const errors = yield* validateMetadataUpdate(object.metadata, old.metadata, { kind, names });
  append(errors, yield* rules.validateUpdate(object, old, subresource, context));
  if (errors.length > 0) throw invalidObject(errorGroup(resource, names), kind.kind, name, errors);
  yield;
  append(warnings, yield* rules.warn(object, old, subresource, context));
  yield* rules.canonicalize(object, context);
  yield;
}

function updateAdmission(
  request: WriteRequest,
  { admittedAs: form }: ObjectChange,
  object: ApiObject,
  old: ApiObject,
): AdmissionRequest {
  if (form === undefined) return admissionRequest(request, "UPDATE", request.name, object, old);
  return { ...admissionRequest(request, "UPDATE", request.name, form.of(object), form.of(old)), kind: form.kind };
}

function checkExpected(request: WriteRequest, { expected = {} }: ObjectChange, old: ApiObject | undefined): void {
  const { uid = "", resourceVersion = "" } = old?.metadata ?? {};
  if (expected.uid !== undefined && expected.uid !== uid) refuseExpected(request, "UID", expected.uid, uid);
  if (expected.resourceVersion !== undefined && expected.resourceVersion !== resourceVersion)
    refuseExpected(request, "ResourceVersion", expected.resourceVersion, resourceVersion);
}

function refuseExpected(request: WriteRequest, what: string, expected: string, found: string): never {
  const { resource, namespace, name } = request;
  const stored = resource.store!.keyOf(namespace, name);
  // A dry run compares before the store adds its own prefix.
  const key = request.dryRun ? stored.slice(stored.indexOf("/", 1)) : stored;
  const difference = `${what} in precondition: ${cutText(expected)}, ${what} in object meta: ${found}`;
  throw conflict(
    resource.subject,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${difference}`,
  );
}

/** Compares the version that the client sent. True when it sent none. */
function keepVersion(request: WriteRequest, change: ObjectChange, object: ApiObject, old: ApiObject): boolean {
  const { resource, name } = request;
  const sent = object.metadata.resourceVersion ?? "";
  if (sent === "" || sent === "0") {
    if (!resource.kind.unconditionalUpdate && change.versionOptional !== true) {
      const error = invalid("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalidObject(resource.group, resource.kind.resource, name, [error]);
    }
    if (old.metadata.resourceVersion !== undefined) object.metadata.resourceVersion = old.metadata.resourceVersion;
    return true;
  }
  if (sent !== old.metadata.resourceVersion) throw conflict(resource.subject, name, MODIFIED);
  return change.versionOptional === true;
}

/** What no update may change or lose. */
function keepSystemFields(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const was = old.metadata;
  if ((metadata.uid ?? "") === "" && was.uid !== undefined) metadata.uid = was.uid;
  if (was.creationTimestamp !== undefined) metadata.creationTimestamp = was.creationTimestamp;
  if (was.deletionTimestamp !== undefined) metadata.deletionTimestamp = was.deletionTimestamp;
  if (was.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= was.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Whether the desired state has changed: anything but type, metadata and, where it is a sub-resource, status. */
function* desiredChanged(object: ApiObject, old: ApiObject, kind: Kind): Steps<boolean> {
  const statusApart = kind.subresources?.["status"] !== undefined;
  const skipped = new Set(["apiVersion", "kind", "metadata", ...(statusApart ? ["status"] : [])]);
  const keys = new Set([...Object.keys(object), ...Object.keys(old)]);
  for (const key of keys) {
    if (!skipped.has(key) && !(yield* equalJsonInSteps(object[key], old[key]))) return true;
  }
  const { metadata } = object;
  if (kind.generation === "andAnnotations")
    return !(yield* equalJsonInSteps(metadata.annotations ?? {}, old.metadata.annotations ?? {}));
  if (kind.generation === "andLabels")
    return !(yield* equalJsonInSteps(metadata.labels ?? {}, old.metadata.labels ?? {}));
  return false;
}

/**
 * Whether readers see what they saw before. Compared as values: what hooks add stands elsewhere in the text than what was
 * stored. What the stored version does not keep of the object is no change, however often it is written.
 */
function* showsTheSame(shown: ApiObject, object: ApiObject, old: ApiObject, large: boolean): Steps<boolean> {
  yield;
  if (shown === object) return yield* equalJsonInSteps(object, old, large);
  const { resourceVersion, generation } = old.metadata;
  const metadata = { ...shown.metadata, resourceVersion, generation } as ApiObject["metadata"];
  const settled = { ...shown, metadata };
  yield* settleTimes(settled, old, large);
  if (!(yield* equalJsonInSteps(settled, old, large))) return false;
  shown.metadata = metadata;
  return true;
}

/** Nothing holds an ending object any more. */
function endsNow(kind: Kind, object: ApiObject, was: ApiObject["metadata"]): boolean {
  return (
    was.deletionTimestamp !== undefined &&
    (object.metadata.finalizers ?? []).length === 0 &&
    (was.deletionGracePeriodSeconds ?? 0) === 0 &&
    kind.holdsDeletion?.(object) !== true
  );
}
