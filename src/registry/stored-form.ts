// What a write leaves in the store, and what it answers: what a reader in the request's version gets of that.

import type { ApiObject } from "../meta/object.ts";
import type { Revision } from "../storage/engine.ts";
import type { WaitingFor } from "./admission.ts";
import { encodeStored, withResourceVersion } from "./object-bytes.ts";
import type { ServedResource } from "./served-resource.ts";
import type { Written } from "./write.ts";

interface StoredForm {
  /** The stored object, for watchers of this process; undefined where reading the bytes makes another one of them. */
  readonly attachment: ApiObject | undefined;
  readonly bytes: Uint8Array;
  /** What the write at this revision answers. */
  written(revision: Revision): Omit<Written, "created">;
}

/** Takes the object over. Conversions run now, both ways: after the commit nothing may fail. */
export async function storedFormOf(
  resource: ServedResource,
  object: ApiObject,
  caller: WaitingFor,
): Promise<StoredForm> {
  const stored = await resource.toStored(object, caller);
  const bytes = encodeStored(stored);
  const adds = resource.addsOnRead?.(stored) === true;
  if (resource.storedForm && !adds) {
    return {
      attachment: stored,
      bytes,
      written: (revision) => ({ object: atRevision(object, revision), bytes: withResourceVersion(bytes, revision) }),
    };
  }
  const read = resource.store!.decode({ key: "", value: bytes, revision: 0 });
  const [shown] = resource.storedForm ? [read] : await resource.fromStored([read], caller);
  return {
    attachment: adds ? undefined : stored,
    bytes,
    written: (revision) => ({ object: atRevision(shown!, revision) }),
  };
}

function atRevision(object: ApiObject, revision: Revision): ApiObject {
  object.metadata.resourceVersion = String(revision);
  return object;
}
