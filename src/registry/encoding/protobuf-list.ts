// A long list in protobuf. Its length stands before its items, so that all of them are made before the first byte leaves: a
// few in each turn of the event loop, from the bytes at hand, and remembered for those who ask again.

import { inTurns } from "../../base/steps.ts";
import { turnIsOver } from "../../base/work-turns.ts";
import { encodeProtobufItem, encodeProtobufItemInSteps } from "../../codec/protobuf.ts";
import { type EncodedList, encodeProtobufList, type ListMeta } from "../../codec/protobuf-stream.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import type { WaitingFor } from "../admission.ts";
import { decodeStored, decodeStoredInSteps } from "../object-bytes.ts";
import type { ServedResource } from "../served-resource.ts";
import { LARGE_BYTES, turnOf } from "../write.ts";

/** After so much the clock is asked whether others are to have their turn. */
const DECODED_BYTES_PER_STEP = 16 * 1024;

/** The objects of a resource that is served as it is stored. */
export async function protobufList(
  { kind, apiVersion }: ServedResource,
  metadata: ListMeta,
  items: readonly CacheItem[],
  caller: WaitingFor,
): Promise<EncodedList> {
  const parts: Uint8Array[] = [];
  const turn = () => turnOf(caller);
  let decodedBytes = 0;
  for (const item of items) {
    let part = remembered.get(item);
    if (part === undefined) {
      const { bytes, revision } = item;
      const large = bytes.length > LARGE_BYTES;
      if (large && decodedBytes > 0) await turn();
      const object = large ? await inTurns(decodeStoredInSteps(bytes, revision), turn) : decodeStored(bytes, revision);
      if (large) await turn();
      part = large
        ? await inTurns(encodeProtobufItemInSteps(object, kind.schema), turn)
        : encodeProtobufItem(object, kind.schema);
      remembered.set(item, part);
      decodedBytes += bytes.length;
      if (decodedBytes > DECODED_BYTES_PER_STEP) {
        decodedBytes = 0;
        if (turnIsOver()) await turn();
      }
    }
    parts.push(part);
  }
  return encodeProtobufList({ apiVersion, kind: kind.listKind }, metadata, parts);
}

/** Of one generation; there are two. */
const MAX_GENERATION_BYTES = 32 * 1024 * 1024;

/** Encoded items, as long as the cache has the item and there is room: when a generation is full, the one before it goes. */
export class RememberedParts {
  readonly #maxBytes: number;
  #young = new WeakMap<CacheItem, Uint8Array>();
  #old = new WeakMap<CacheItem, Uint8Array>();
  #youngBytes = 0;

  constructor(maxBytes = MAX_GENERATION_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get(item: CacheItem): Uint8Array | undefined {
    const part = this.#young.get(item);
    if (part !== undefined) return part;
    const older = this.#old.get(item);
    if (older !== undefined) this.set(item, older);
    return older;
  }

  set(item: CacheItem, part: Uint8Array): void {
    if (this.#youngBytes + part.length > this.#maxBytes) {
      this.#old = this.#young;
      this.#young = new WeakMap();
      this.#youngBytes = 0;
    }
    this.#young.set(item, part);
    this.#youngBytes += part.length;
  }
}

/** One for a process: memory is shared by all of its servers. */
const remembered = new RememberedParts();
