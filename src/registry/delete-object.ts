// The write path, delete: preconditions, the two phases of finalizers, grace periods, propagation.
// Requirements: document 1, "Deletion of an object".

import { cloneJsonInSteps, equalJsonInSteps } from "../base/json-in-steps.ts";
import type { Steps } from "../base/steps.ts";
import { type ApiObject, nextGeneration } from "../meta/object.ts";
import { conflict, internalError, notFoundObject } from "../meta/status-error.ts";
import type { StoredEntry } from "../storage/engine.ts";
import { isStorageError } from "../storage/storage-error.ts";
import { decodeOrCorrupt } from "./read-object.ts";
import type { ServedResource } from "./served-resource.ts";
import { toStatusError } from "./storage-errors.ts";
import { storedFormOf } from "./stored-form.ts";
import {
  admissionRequest,
  errorGroup,
  isLarge,
  refuseLate,
  stepByStep,
  turnOf,
  type WriteDeps,
  type WriteRequest,
} from "./write.ts";

const MAX_ATTEMPTS = 64;
const ORPHAN = "orphan";
const FOREGROUND = "foregroundDeletion";
/** What holds an object until the garbage collector has done what the policy says. */
const COLLECTOR = { Orphan: ORPHAN, Foreground: FOREGROUND, Background: undefined };

export interface DeletionRequest {
  readonly gracePeriodSeconds?: number;
  readonly orphanDependents?: boolean;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** What a request that deletes objects of this kind, however many, is warned of. */
export function orphanWarnings({ kind }: ServedResource, options: DeletionRequest): string[] {
  const decided = options.propagationPolicy !== undefined || options.orphanDependents !== undefined;
  if (kind.orphanByDefault !== "warn" || decided) return [];
  return [
    `child pods are preserved by default when ${kind.resource} are deleted; set propagationPolicy=Background to remove ` +
      "them or set propagationPolicy=Orphan to suppress this warning",
  ];
}

interface Deleted {
  /** The object as it was last, or as it stands while it ends; in the request's version. */
  readonly object: ApiObject;
  /** False: it ends later (finalizers, grace period). */
  readonly gone: boolean;
  /** About the size of the object. */
  readonly sizeBytes: number;
}

/** `internal`: an effect of another request, which admission has seen (an eviction). */
export async function deleteObject(
  deps: WriteDeps,
  request: WriteRequest,
  options: DeletionRequest,
  internal = false,
): Promise<Deleted> {
  const { resource, namespace, name } = request;
  const { store, kind } = resource;
  if (store === undefined) throw internalError(`${resource.kind.kind} cannot be stored`);
  const key = store.keyOf(namespace, name);
  for (let attempt = 1; ; attempt += 1) {
    const entry = await store.get(key);
    if (entry === undefined) throw notFoundObject(resource.subject, name);
    const old = await decodeOrCorrupt(resource, entry, request.caller);
    if (isLarge(request, entry.value.length)) await turnOf(request.caller);
    checkPreconditions(deps, request, options, old);
    if (isSettled(kind, old, options)) return { object: old, gone: false, sizeBytes: entry.value.length };
    const graceSeconds = kind.gracefulDelete?.(old, options.gracePeriodSeconds);
    if (!internal) {
      const admission = admissionRequest(withGrace(request, graceSeconds), "DELETE", name, undefined, old);
      if (attempt === 1) await deps.admission.mutate(admission);
      // Whoever judges a deletion judges what goes, not what stood there before another writer came between.
      await deps.admission.validate(admission);
    }
    try {
      return await deleteEntry(deps, request, options, { key, entry, old, graceSeconds: graceSeconds ?? 0 });
    } catch (error) {
      const raced = isStorageError(error, "RevisionMismatch");
      if (raced && attempt < MAX_ATTEMPTS) continue;
      throw toStatusError(error, resource.subject, name);
    }
  }
}

/** Admission is told how much time the object gets, whether the client said it or not. */
function withGrace(request: WriteRequest, gracePeriodSeconds: number | undefined): WriteRequest {
  return gracePeriodSeconds === undefined
    ? request
    : { ...request, options: { ...request.options, gracePeriodSeconds } };
}

/** What goes, and how much time it gets. */
interface Ending {
  readonly key: string;
  readonly entry: StoredEntry;
  readonly old: ApiObject;
  readonly graceSeconds: number;
}

async function deleteEntry(
  deps: WriteDeps,
  request: WriteRequest,
  options: DeletionRequest,
  { key, entry, old, graceSeconds }: Ending,
): Promise<Deleted> {
  const { resource } = request;
  const { kind, collaborator } = resource;
  const store = resource.store!;
  const sizeBytes = entry.value.length;
  const large = isLarge(request, sizeBytes);
  const inOrder = <T>(steps: Steps<T>) => stepByStep(request, sizeBytes, steps);
  // A kind that marks more than its metadata gets a copy that it may change.
  const copied = kind.markEnding !== undefined;
  const ending = markEnding(deps, graceSeconds, copied ? await inOrder(cloneJsonInSteps(old)) : old);
  const finalizers = finalizersFor(old.metadata.finalizers ?? [], options, kind);
  if (finalizers.length > 0) ending.metadata.finalizers = finalizers;
  else delete ending.metadata.finalizers;
  const waits =
    finalizers.length > 0 ||
    (ending.metadata.deletionGracePeriodSeconds ?? 0) > 0 ||
    kind.holdsDeletion?.(old) === true;

  if (!waits) {
    // An object that could have been given time shows that it was given none.
    const last = kind.gracefulDelete === undefined ? old : ending;
    if (request.dryRun) return { object: last, gone: true, sizeBytes };
    if (large) await turnOf(request.caller);
    const stored = await resource.toStored(last, request.caller);
    if (large) await turnOf(request.caller);
    refuseLate(request);
    const revision = await store.delete(key, entry.revision, stored);
    await collaborator?.released?.(last, revision);
    const metadata = { ...last.metadata, resourceVersion: String(revision) };
    return { object: { ...last, metadata }, gone: true, sizeBytes };
  }

  kind.markEnding?.(ending, deps.names);
  if (large) await turnOf(request.caller);
  if ((await inOrder(equalJsonInSteps(ending, old, large))) || request.dryRun)
    return { object: ending, gone: false, sizeBytes };
  const form = await storedFormOf(request, ending, sizeBytes);
  if (large) await turnOf(request.caller);
  refuseLate(request);
  const revision = await store.update(key, form.attachment, form.bytes, entry.revision);
  return { object: form.written(revision, false).object, gone: false, sizeBytes };
}

/**
 * Whether an earlier request has settled how and when the object goes: a later one may only give it less time, and one that
 * names none does not.
 */
function isSettled(
  kind: ServedResource["kind"],
  old: ApiObject,
  { gracePeriodSeconds: asked }: DeletionRequest,
): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds: left = 0 } = old.metadata;
  if (deletionTimestamp === undefined) return false;
  if (kind.gracefulDelete === undefined) return kind.holdsDeletion?.(old) === true;
  return left > 0 && (asked === undefined || kind.gracefulDelete(old, asked) >= left);
}

/** The object with metadata of its own that say that it ends; a later request may shorten its time, never lengthen it. */
function markEnding(deps: WriteDeps, graceSeconds: number, old: ApiObject): ApiObject {
  const metadata = { ...old.metadata };
  const object: ApiObject = { ...old, metadata };
  const nowMs = Math.floor(deps.clock.nowMs() / 1000) * 1000;
  if (metadata.deletionTimestamp !== undefined) {
    const left = metadata.deletionGracePeriodSeconds ?? 0;
    if (graceSeconds >= left) return object;
    // The new end counts from the first request, which an end that time cannot name does not tell.
    const firstRequestMs = left > MAX_GRACE_SECONDS ? nowMs : Date.parse(metadata.deletionTimestamp) - left * 1000;
    const endMs = firstRequestMs + graceSeconds * 1000;
    metadata.deletionTimestamp = rfc3339(Math.max(endMs, nowMs));
    // Of a time that is over already the least stays: somebody else is to see the object end.
    metadata.deletionGracePeriodSeconds = endMs < nowMs && graceSeconds > 0 ? 1 : graceSeconds;
    return object;
  }
  metadata.deletionTimestamp = rfc3339(nowMs + graceSeconds * 1000);
  metadata.deletionGracePeriodSeconds = graceSeconds;
  if (metadata.generation !== undefined && metadata.generation > 0) metadata.generation = nextGeneration(metadata);
  return object;
}

/** The finalizers of the garbage collector follow the request's policy; all others stay, and the order of what is there. */
function finalizersFor(
  finalizers: readonly string[],
  options: DeletionRequest,
  { expires, orphanByDefault }: ServedResource["kind"],
): string[] {
  // What ends by itself owns nothing: there is nobody to wait for.
  const wanted = expires ? undefined : COLLECTOR[policyOf(finalizers, options, orphanByDefault !== undefined)];
  const kept = finalizers.filter(
    (finalizer) => finalizer === wanted || (finalizer !== ORPHAN && finalizer !== FOREGROUND),
  );
  return wanted === undefined || kept.includes(wanted) ? kept : [...kept, wanted];
}

function policyOf(
  finalizers: readonly string[],
  options: DeletionRequest,
  orphanByDefault: boolean,
): "Orphan" | "Foreground" | "Background" {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? "Orphan" : "Background";
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  // An earlier request has decided.
  if (finalizers.includes(ORPHAN)) return "Orphan";
  if (finalizers.includes(FOREGROUND)) return "Foreground";
  return orphanByDefault ? "Orphan" : "Background";
}

/** Fails with 409 where the object is not the one that the options mean. */
export function checkPreconditions(
  { names }: Pick<WriteDeps, "names">,
  request: WriteRequest,
  options: DeletionRequest,
  old: ApiObject,
): void {
  const { uid, resourceVersion } = options.preconditions ?? {};
  // Upstream names the kind here, where it names the resource elsewhere.
  const subject = { group: errorGroup(request.resource, names), resource: request.resource.kind.kind };
  const { metadata } = old;
  if (request.resource.kind.markEnding !== undefined && !request.resource.custom) checkPlainly(request, options, old);
  const advice = "The object might have been deleted and then recreated";
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      subject,
      request.name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). ${advice}`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      subject,
      request.name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
    );
  }
}

/** Kinds that are marked when they end have words of their own, upstream's. */
function checkPlainly(
  { resource, name }: WriteRequest,
  { preconditions = {} }: DeletionRequest,
  { metadata }: ApiObject,
): void {
  const { uid, resourceVersion } = preconditions;
  const why =
    uid !== undefined && uid !== metadata.uid
      ? `UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`
      : resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion
        ? `ResourceVersion in precondition: ${resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`
        : undefined;
  if (why !== undefined) throw conflict(resource.subject, name, `Precondition failed: ${why}`);
}

/** A thousand years. */
const MAX_GRACE_SECONDS = 1000 * 365 * 24 * 3600;
const LAST_MS = Date.parse("9999-12-31T23:59:59Z");

/** The last second that has a name stands for all later ones. */
const rfc3339 = (ms: number): string => `${new Date(Math.min(ms, LAST_MS)).toISOString().slice(0, 19)}Z`;
