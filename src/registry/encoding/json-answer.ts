// JSON answers made of cached bytes: one object, or a list that is put together from its items without parsing them.

import type { ListMeta } from "../../codec/protobuf-stream.ts";
import type { BodyWriter, StreamBody } from "../../http/message.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import type { ServedResource } from "../served-resource.ts";

const NEWLINE = 0x0a;
const END_OF_LINE = Buffer.of(NEWLINE);
const OPEN = Buffer.from("{");
const NEXT = Buffer.from(",{");
const NEXT_WHOLE = Buffer.from(",");
const END = Buffer.from("]}\n");
const METADATA_MARK = Buffer.from('"metadata":');

/** Larger objects go out as the bytes at hand: a client that does not read must not hold a copy of them. */
export const MAX_COPIED_BYTES = 16 * 1024;

/** Longer lists are never held in one piece. */
const MAX_WHOLE_BYTES = 256 * 1024;

/** One object with the newline that ends every answer. */
export function withNewline(bytes: Uint8Array): Uint8Array {
  const out = Buffer.allocUnsafe(bytes.length + 1);
  out.set(bytes);
  out[bytes.length] = NEWLINE;
  return out;
}

/** The same for a large object. */
export const lineBody = (bytes: Uint8Array): StreamBody => ({
  async stream(writer) {
    writer.write(bytes);
    writer.write(END_OF_LINE);
  },
  whole: () => bytes,
});

/** The head of a list up to its first item. */
function listHead(resource: Pick<ServedResource, "kind" | "apiVersion">, metadata: ListMeta): Uint8Array {
  const { listKind } = resource.kind;
  return Buffer.from(
    `{"kind":${JSON.stringify(listKind)},"apiVersion":${JSON.stringify(resource.apiVersion)},"metadata":${JSON.stringify(metadata)},"items":[`,
  );
}

/** The pieces of a list. Items of built-in kinds go without kind and apiVersion, as upstream's typed lists do. */
export class JsonListBody implements StreamBody {
  readonly #head: Uint8Array;
  readonly #items: readonly Pick<CacheItem, "bytes">[];
  readonly #whole: boolean;

  constructor(resource: ServedResource, metadata: ListMeta, items: readonly Pick<CacheItem, "bytes">[]) {
    this.#head = listHead(resource, metadata);
    this.#items = items;
    this.#whole = resource.custom === true;
  }

  get sizeBytes(): number {
    let size = this.#head.length + END.length;
    for (const { bytes } of this.#items) size += bytes.length + 2;
    return size;
  }

  /** The whole list in one buffer; for short ones. */
  toBytes(): Uint8Array {
    const parts: Uint8Array[] = [this.#head];
    for (const [index, { bytes }] of this.#items.entries()) this.#push(parts, bytes, index === 0);
    parts.push(END);
    return Buffer.concat(parts);
  }

  whole(): Uint8Array | undefined {
    return this.sizeBytes > MAX_WHOLE_BYTES ? undefined : this.toBytes();
  }

  async stream(writer: BodyWriter): Promise<void> {
    let parts: Uint8Array[] = [this.#head];
    let size = this.#head.length;
    let first = true;
    for (const { bytes } of this.#items) {
      this.#push(parts, bytes, first);
      first = false;
      size += bytes.length + 2;
      const large = bytes.length > MAX_COPIED_BYTES ? parts.pop() : undefined;
      if (large === undefined && size < writer.chunkBytes) continue;
      let room = writer.write(Buffer.concat(parts));
      if (large !== undefined) room = writer.write(large);
      parts = [];
      size = 0;
      if (!room) await writer.drained();
      if (writer.signal.aborted) return;
    }
    parts.push(END);
    writer.write(Buffer.concat(parts));
  }

  #push(parts: Uint8Array[], bytes: Uint8Array, first: boolean): void {
    if (this.#whole) {
      if (!first) parts.push(NEXT_WHOLE);
      parts.push(bytes);
      return;
    }
    parts.push(first ? OPEN : NEXT, bytes.subarray(metadataOffset(bytes)));
  }
}

/** Where `"metadata":` begins: kind and apiVersion stand before it and nothing else. */
function metadataOffset(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(METADATA_MARK);
}
