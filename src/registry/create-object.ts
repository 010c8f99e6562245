// The write path, create: its stages in order. Dry run is the same without the commit.
// Requirements: document 1, "Operations by HTTP request", "Dry run".

import { append } from "../base/append.ts";
import { cloneJsonInSteps } from "../base/json-in-steps.ts";
import type { Steps } from "../base/steps.ts";
import type { Kind } from "../kinds/define-kind.ts";
import type { FieldError } from "../meta/field-error.ts";
import type { ApiObject, ObjectMeta } from "../meta/object.ts";
import { alreadyExists, badRequest, internalError, invalidObject, StatusError } from "../meta/status-error.ts";
import type { StoredEntry } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";
import { recordCreate } from "./field-managers.ts";
import { type Incoming, incomingObject } from "./incoming-object.ts";
import {
  dedupOwnerReferences,
  fillSystemFields,
  hasSeveralOwners,
  validateMetadata,
  wipeSystemFields,
} from "./metadata.ts";
import type { WriteEnd } from "./served-resource.ts";
import { toStatusError } from "./storage-errors.ts";
import { storedFormOf } from "./stored-form.ts";
import {
  admissionRequest,
  errorGroup,
  hookContext,
  isLarge,
  newUid,
  refuseLate,
  stepByStep,
  takeAdmitted,
  timestamp,
  turnOf,
  type WriteDeps,
  type WriteRequest,
  type Written,
} from "./write.ts";

/** Upstream's number of names that are tried before the client is told to try again. */
const MAX_GENERATED_NAMES = 8;
/** A generated name is cut so that the suffix fits. */
const MAX_GENERATED_PREFIX = 63 - 5;

/** Takes a new object through all stages: decode, shape, default, record managers, admit, prepare, validate, commit. */
export async function createObject(deps: WriteDeps, request: WriteRequest, incoming: Incoming): Promise<Written> {
  const object = await incomingObject(deps, request, incoming);
  return await storeNewObject(deps, request, object);
}

/**
 * The stages after the first: the object is shaped, defaulted and in its namespace. Takes ownership of it. `managed`: its
 * managers are recorded (apply).
 */
export async function storeNewObject(
  deps: WriteDeps,
  request: WriteRequest,
  object: ApiObject,
  managed = false,
): Promise<Written> {
  const { resource } = request;
  const { store, kind } = resource;
  if (store === undefined) throw internalError(`${kind.kind} cannot be stored`);
  if (resource.refuseCreate !== undefined) throw resource.refuseCreate();
  checkBody(request, object);
  if (hasSeveralOwners(object)) await warnOwnerReferences(request, 0, object);
  const { metadata } = object;
  wipeSystemFields(metadata);

  const large = isLarge(request, 0);
  if (large) await turnOf(request.caller);
  if (!managed) {
    const recorded = recordCreate(deps, request, object);
    if (recorded !== undefined) await recorded;
  }
  if (large) await turnOf(request.caller);

  const admission = admissionRequest(request, "CREATE", metadata.name ?? "", object, undefined);
  await deps.admission.mutate(admission);
  if (admission.object !== object) object = await takeAdmitted(request, admission, object);
  if (hasSeveralOwners(object)) await warnOwnerReferences(request, 0, object, AFTER_ADMISSION);

  fillSystemFields(object.metadata, newUid(), timestamp(deps.clock));
  const generated = (object.metadata.name ?? "") === "" && (object.metadata.generateName ?? "") !== "";
  const copyOf = (original: ApiObject) => stepByStep(request, 0, cloneJsonInSteps(original));
  const unprepared = generated ? await copyOf(object) : object;
  for (let attempt = 1; ; attempt += 1) {
    const candidate = generated && attempt > 1 ? await copyOf(unprepared) : object;
    if (generated) candidate.metadata.name = generateName(deps, resource.kind, candidate.metadata.generateName ?? "");
    try {
      return await commitNew(deps, request, candidate);
    } catch (error) {
      if (!isStorageError(error, "KeyExists"))
        throw toStatusError(error, resource.subject, candidate.metadata.name ?? "");
      if (!generated || attempt === MAX_GENERATED_NAMES) throw await takenName(request, candidate.metadata);
    }
  }
}

async function commitNew(deps: WriteDeps, request: WriteRequest, object: ApiObject): Promise<Written> {
  const { resource } = request;
  const { kind, collaborator } = resource;
  const store = resource.store!;
  const begun = await collaborator?.begin(object, undefined, { dryRun: request.dryRun });
  let end: WriteEnd = "failed";
  try {
    if (kind.generation) object.metadata.generation = 1;
    await stepByStep(request, 0, prepared(deps, request, object));

    const name = object.metadata.name ?? "";
    await deps.admission.validate(admissionRequest(request, "CREATE", name, object, undefined));

    const key = store.keyOf(object.metadata.namespace ?? "", name);
    if (!request.dryRun) refuseVersion(object);
    if (isLarge(request, 0)) await turnOf(request.caller);
    const form = await storedFormOf(request, object);
    if (request.dryRun) {
      if ((await store.get(key)) !== undefined) throw await takenName(request, object.metadata);
      return form.rehearsed(object.metadata.resourceVersion, true);
    }
    refuseLate(request);
    const revision = await store.create(key, form.attachment, form.bytes, begun?.guard?.());
    request.caller.goOn?.();
    end = revision;
    // Whoever acts on a new object says so in its status.
    if (resource.storedForm && form.attachment !== undefined && kind.subresources?.["status"] !== undefined)
      store.keepWritten(key, revision, form.attachment, form.bytes.length);
    return form.written(revision, true);
  } catch (error) {
    if (isStorageError(error, "Undecided")) end = "undecided";
    throw error;
  } finally {
    await begun?.end(end);
  }
}

/** Makes the object what will be stored, but for what admission has to say of it. Fails with 422. */
function* prepared(deps: WriteDeps, request: WriteRequest, object: ApiObject): Steps<void> {
  const { resource, warnings } = request;
  const { kind, rules } = resource;
  const { names } = deps;
  const context = hookContext(deps, request);
  yield* rules.prepareForCreate(object, context);
  yield;
  const errors: FieldError[] = [];
  if (!kind.judgesMetadataLast) append(errors, yield* validateMetadata(object.metadata, { kind, names }));
  append(errors, yield* rules.validate(object, context));
  if (kind.judgesMetadataLast && errors.length === 0)
    append(errors, yield* validateMetadata(object.metadata, { kind, names }));
  if (errors.length > 0)
    throw invalidObject(errorGroup(resource, names), kind.kind, object.metadata.name ?? "", errors);
  yield;
  append(warnings, yield* rules.warn(object, undefined, "", context));
  yield* rules.canonicalize(object, context);
  yield;
}

/**
 * Says whether it is worth trying again: the object that has the name may be on its way out. Who gave a prefix is told
 * about generated names even where a name stood beside it.
 */
async function takenName(request: WriteRequest, metadata: ObjectMeta): Promise<StatusError> {
  const { resource } = request;
  const { name = "", namespace = "", generateName = "" } = metadata;
  if (generateName !== "") {
    const { message, details } = alreadyExists(resource.subject, name);
    const text = `${message}, the server was not able to generate a unique name for the object`;
    return new StatusError(409, "AlreadyExists", text, { ...details, retryAfterSeconds: 1 });
  }
  const store = resource.store!;
  const entry = await store.get(store.keyOf(namespace, name));
  return alreadyExists(resource.subject, name, entry !== undefined && (await isBeingDeleted(request, entry)));
}

async function isBeingDeleted(request: WriteRequest, entry: StoredEntry): Promise<boolean> {
  const { store } = request.resource;
  try {
    const { metadata } = await stepByStep(request, entry.value.length, store!.decodeInSteps(entry));
    return metadata.deletionTimestamp !== undefined;
  } catch {
    return false;
  }
}

function checkBody(request: WriteRequest, object: ApiObject): void {
  const { metadata } = object;
  if (request.name !== "" && metadata.name !== undefined && metadata.name !== "" && metadata.name !== request.name) {
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${request.name})`);
  }
}

/**
 * Asked last, as upstream's store does: whoever admits or judges the object has its say before. Of a dry run nothing is
 * stored, and so nobody minds: clients send what they have read, under another name.
 */
function refuseVersion({ metadata }: ApiObject): void {
  if (IS_VERSION.test(metadata.resourceVersion ?? ""))
    throw badRequest("resourceVersion should not be set on objects to be created");
  delete metadata.resourceVersion;
}

const IS_VERSION = /^0*[1-9][0-9]*$/;

export const AFTER_ADMISSION = " after mutating admission happens";

/** `when` says which writer of owners it was: the client, or admission after it. */
export async function warnOwnerReferences(
  request: WriteRequest,
  storedBytes: number,
  object: ApiObject,
  when: "" | typeof AFTER_ADMISSION = "",
): Promise<void> {
  const repeated = await stepByStep(request, storedBytes, dedupOwnerReferences(object));
  if (repeated.length === 0) return;
  request.warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject ` +
      `such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}

function generateName(deps: WriteDeps, kind: Kind, prefix: string): string {
  return kind.generatesWholeName ? prefix : prefix.slice(0, MAX_GENERATED_PREFIX) + deps.randomSuffix();
}
