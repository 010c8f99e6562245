// What a write leaves in the store, and what it answers: what a reader in the request's version gets of that.

import type { ApiObject } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";
import { encodeStored, encodeStoredInSteps, withResourceVersion } from "./object-bytes.ts";
import { inStages, type WriteRequest, type Written } from "./write.ts";

interface StoredForm {
  /** The stored object, for watchers of this process; undefined where reading the bytes makes another one of them. */
  readonly attachment: ApiObject | undefined;
  readonly bytes: Uint8Array;
  /** What a reader in the request's version sees of it: other versions may keep less than was written. */
  readonly shown: ApiObject;
  /** What the write at this revision answers. */
  written(revision: Revision, created: boolean): Written;
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
        object: atRevision(object, revision),
        created,
        bytes: withResourceVersion(bytes, revision),
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
  return {
    attachment: adds ? undefined : stored,
    bytes,
    shown,
    written: (revision, created) => ({ object: atRevision(shown, revision), created, sizeBytes: bytes.length }),
  };
}

function atRevision(object: ApiObject, revision: Revision): ApiObject {
  object.metadata.resourceVersion = String(revision);
  return object;
}
