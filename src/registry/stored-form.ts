// What a write leaves in the store, and what it answers: what a reader in the request's version gets of that.

import type { ApiObject } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";
import { encodeStored, encodeStoredInSteps, withResourceVersion } from "./object-bytes.ts";
import { convertedBytes, inStages, type WriteRequest, type Written } from "./write.ts";

interface StoredForm {
  /** The stored object, for watchers of this process; undefined where reading the bytes makes another one of them. */
  readonly attachment: ApiObject | undefined;
  readonly bytes: Uint8Array;
  /** What a reader in the request's version sees of it: other versions may keep less than was written. */
  readonly shown: ApiObject;
  /** What the write at this revision answers. */
  written(revision: Revision, created: boolean): Written;
  /** What a dry run answers, which has no revision of its own. */
  rehearsed(resourceVersion: string | undefined, created: boolean): Written;
}

/**
 * Takes the object over. Conversions run now, both ways: after the commit nothing may fail. `storedBytes` is what the write
 * replaces.
 */
export async function storedFormOf(
  request: Pick<WriteRequest, "resource" | "caller" | "bodyBytes">,
  object: ApiObject,
  storedBytes = 0,
): Promise<StoredForm> {
  const { resource, caller } = request;
  const converted = resource.toStored(object, caller);
  const stored = converted instanceof Promise ? await converted : converted;
  request.bodyBytes = convertedBytes(resource, stored, request.bodyBytes ?? 0);
  const written = inStages(request, storedBytes, {
    atOnce: () => encodeStored(stored),
    inSteps: () => encodeStoredInSteps(stored),
  });
  const bytes = written instanceof Promise ? await written : written;
  const adds = resource.addsOnRead?.(stored) === true;
  if (resource.storedForm && !adds) {
    return {
      attachment: stored,
      bytes,
      shown: object,
      written: (revision, created) => ({
        object: atVersion(object, String(revision)),
        created,
        bytes: withResourceVersion(bytes, revision),
      }),
      // The version is a client's own here, and is not stored.
      rehearsed: (version, created) => ({
        object: atVersion(object, version),
        created,
        sizeBytes: bytes.length + (version?.length ?? 0),
      }),
    };
  }
  const store = resource.store!;
  const entry = { key: "", value: bytes, revision: 0 };
  const read = await inStages(request, storedBytes, {
    atOnce: () => store.decode(entry),
    inSteps: () => store.decodeInSteps(entry),
  });
  const shown = resource.storedForm ? read : (await resource.fromStored([read], caller))[0]!;
  const sizeBytes = convertedBytes(resource, shown, bytes.length);
  const rehearsed = (version: string | undefined, created: boolean): Written => ({
    object: atVersion(shown, version),
    created,
    sizeBytes,
  });
  return {
    attachment: adds ? undefined : stored,
    bytes,
    shown,
    written: (revision, created) => rehearsed(String(revision), created),
    rehearsed,
  };
}

function atVersion(object: ApiObject, resourceVersion: string | undefined): ApiObject {
  if (resourceVersion === undefined) delete object.metadata.resourceVersion;
  else object.metadata.resourceVersion = resourceVersion;
  return object;
}
