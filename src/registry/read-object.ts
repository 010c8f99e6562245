// One object: the newest, or one not older than the client has seen. Requirements: document 1, "List and watch semantics".

import { inTurns, type Steps } from "../base/steps.ts";
import type { ApiObject } from "../meta/object.ts";
import { notFoundObject, StatusError } from "../meta/status-error.ts";
import type { Revision, StoredEntry } from "../storage/engine.ts";
import type { CacheItem } from "../storage/watch-cache.ts";
import type { WaitingFor } from "./admission.ts";
import type { ServedResource } from "./served-resource.ts";
import { toStatusError } from "./storage-errors.ts";
import { type WaitingCaller, waitForRevision } from "./wait-for-revision.ts";
import { LARGE_BYTES, turnOf } from "./write.ts";

/**
 * The item behind `namespace` and `name`, at once where this process knows the newest state. Fails with 404, with 504
 * when `atLeast` does not come, 500 when it is corrupt.
 */
export function readObject(
  resource: ServedResource,
  namespace: string,
  name: string,
  atLeast: Revision | undefined,
  reader: WaitingCaller,
): CacheItem | Promise<CacheItem> {
  const { cache, engine } = resource.store!;
  try {
    const wanted = atLeast ?? engine.currentRevision();
    if (cache.isReady && typeof wanted === "number" && cache.revision >= wanted) return find(resource, namespace, name);
    return readLater(resource, namespace, name, wanted, reader);
  } catch (error) {
    throw toStatusError(error, resource.subject, name);
  }
}

async function readLater(
  resource: ServedResource,
  namespace: string,
  name: string,
  wanted: Revision | Promise<Revision>,
  reader: WaitingCaller,
): Promise<CacheItem> {
  const store = resource.store!;
  try {
    const revision = await wanted;
    await store.cache.ready();
    await waitForRevision(store, revision, reader);
    return find(resource, namespace, name);
  } catch (error) {
    throw toStatusError(error, resource.subject, name);
  }
}

function find(resource: ServedResource, namespace: string, name: string): CacheItem {
  const store = resource.store!;
  const item = store.cache.get(store.keyOf(namespace, name));
  if (item === undefined) throw notFoundObject(resource.subject, name);
  if (item.corrupt !== undefined) throw corruptObject(resource, item.key, item.corrupt);
  return item;
}

/** The decoded object of an entry, in the served version, not to be changed. Fails with 500 StoreReadError when its bytes are damaged. */
export async function decodeOrCorrupt(
  resource: ServedResource,
  entry: StoredEntry,
  caller?: WaitingFor,
): Promise<ApiObject> {
  const left = resource.store!.takeWritten(entry);
  if (left !== undefined && resource.storedForm) return left;
  refuseKnownCorrupt(resource, entry);
  const large = entry.value.length > LARGE_BYTES;
  const stored = large ? await inTurns(decodeLarge(resource, entry), () => turnOf(caller)) : decode(resource, entry);
  if (resource.storedForm) return stored;
  const converted = await resource.fromStored([stored], caller);
  return converted[0]!;
}

function refuseKnownCorrupt(resource: ServedResource, entry: StoredEntry): void {
  const store = resource.store!;
  // Before anybody has listed or watched, the cache holds nothing and cannot know.
  const cache = store.cacheInUse;
  const known = cache?.isReady ? cache.get(entry.key) : undefined;
  if (known?.corrupt !== undefined && known.revision === entry.revision)
    throw corruptObject(resource, entry.key, known.corrupt);
}

function decode(resource: ServedResource, entry: StoredEntry): ApiObject {
  try {
    return resource.store!.decode(entry);
  } catch (error) {
    throw corruptObject(resource, entry.key, error as Error);
  }
}

function* decodeLarge(resource: ServedResource, entry: StoredEntry): Steps<ApiObject> {
  try {
    return yield* resource.store!.decodeInSteps(entry);
  } catch (error) {
    throw corruptObject(resource, entry.key, error as Error);
  }
}

/** The stored bytes cannot be read. Recognized by reason, for unsafe deletion. */
export function corruptObject(resource: ServedResource, key: string, cause: Error): StatusError {
  const message = `the object at ${key} cannot be read from the store: ${cause.message}`;
  return new StatusError(500, "StoreReadError", message, {
    ...(resource.group === "" ? {} : { group: resource.group }),
    kind: resource.kind.resource,
    causes: [{ reason: "UnexpectedServerResponse", message: `failed to decode: ${cause.message}` }],
  });
}
