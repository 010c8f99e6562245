// JSON answers made of cached bytes: one object, or a list that is put together from its items without parsing them.

import type { ListMeta } from "../../codec/protobuf-stream.ts";
import type { BodyWriter, StreamBody } from "../../http/message.ts";
import type { CacheItem } from "../../storage/watch-cache.ts";
import type { ServedResource } from "../served-resource.ts";
import { LentMemory } from "./lent-memory.ts";

const END_OF_LINE = Buffer.from("\n");
const END = Buffer.from("]}\n");
const OPEN = 0x7b;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COMMA = 0x2c;
const METADATA_MARK = Buffer.from('"metadata":');

/** Larger objects go out as the bytes at hand: a client that does not read must not hold a copy of them. */
export const MAX_COPIED_BYTES = 16 * 1024;

/** A comma and an opening bracket. */
const MAX_BEFORE_ITEM_BYTES = 2;

/** Longer lists are never held in one piece. */
const MAX_WHOLE_BYTES = 256 * 1024;

/** One large object with the newline that ends every answer. */
export const lineBody = (bytes: Uint8Array): StreamBody => ({
  async stream(writer) {
    writer.write(bytes.length > MAX_SENT_BYTES ? await lastPart(bytes, writer) : bytes);
    writer.write(END_OF_LINE);
  },
  whole: () => bytes,
});

/** Of what is larger, so much is handed on at a time: it is encrypted at once. */
const MAX_SENT_BYTES = 1024 * 1024;

/** What is left to send when all before it has been taken. */
async function lastPart(bytes: Uint8Array, writer: BodyWriter): Promise<Uint8Array> {
  let at = 0;
  for (; bytes.length - at > MAX_SENT_BYTES && !writer.signal.aborted; at += MAX_SENT_BYTES) {
    if (!writer.write(bytes.subarray(at, at + MAX_SENT_BYTES))) await writer.drained();
  }
  return bytes.subarray(at);
}

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
  #lastOffset = 0;

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
    const piece = new Piece(Buffer.allocUnsafe(this.sizeBytes));
    piece.add(this.#head);
    for (const [index, { bytes }] of this.#items.entries()) {
      this.#beginItem(piece, index === 0);
      piece.add(this.#partOf(bytes));
    }
    piece.add(END);
    return piece.bytes();
  }

  whole(): Uint8Array | undefined {
    return this.sizeBytes > MAX_WHOLE_BYTES ? undefined : this.toBytes();
  }

  /** The items alone, in JSON arrays of about so many bytes. */
  *arrays(sizeBytes: number): Iterable<Uint8Array> {
    let parts: Uint8Array[] = [];
    let size = 0;
    for (const { bytes } of this.#items) {
      const part = this.#partOf(bytes);
      parts.push(part);
      size += part.length + MAX_BEFORE_ITEM_BYTES;
      if (size < sizeBytes) continue;
      yield this.#array(parts, size);
      parts = [];
      size = 0;
    }
    if (parts.length > 0) yield this.#array(parts, size);
  }

  #array(parts: readonly Uint8Array[], sizeBytes: number): Uint8Array {
    const array = new Piece(Buffer.allocUnsafe(sizeBytes + MAX_BEFORE_ITEM_BYTES));
    array.addByte(OPEN_LIST);
    for (const [index, part] of parts.entries()) {
      this.#beginItem(array, index === 0);
      array.add(part);
    }
    array.addByte(CLOSE_LIST);
    return array.bytes();
  }

  async stream(writer: BodyWriter): Promise<void> {
    const memory = new LentMemory(writer);
    const next = (neededBytes: number): Piece => new Piece(memory.take(Math.max(writer.chunkBytes, neededBytes)));
    let piece = next(this.#head.length);
    piece.add(this.#head);
    let first = true;
    for (const { bytes } of this.#items) {
      const part = this.#partOf(bytes);
      const large = part.length > MAX_COPIED_BYTES;
      const addedBytes = MAX_BEFORE_ITEM_BYTES + (large ? 0 : part.length);
      if (!piece.hasRoomFor(addedBytes)) {
        const room = piece.sendTo(memory);
        if (!room) await writer.drained();
        if (writer.signal.aborted) return;
        piece = next(addedBytes);
      }
      this.#beginItem(piece, first);
      first = false;
      if (!large) {
        piece.add(part);
        continue;
      }
      piece.sendTo(memory);
      const room = writer.write(part.length > MAX_SENT_BYTES ? await lastPart(part, writer) : part);
      if (!room) await writer.drained();
      if (writer.signal.aborted) return;
      piece = next(0);
    }
    if (!piece.hasRoomFor(END.length)) {
      piece.sendTo(memory);
      piece = next(END.length);
    }
    piece.add(END);
    piece.sendTo(memory);
  }

  #beginItem(piece: Piece, first: boolean): void {
    if (!first) piece.addByte(COMMA);
    if (!this.#whole) piece.addByte(OPEN);
  }

  /** What is sent of an item. It begins at the same place in nearly all items of a list. */
  #partOf(bytes: Uint8Array): Uint8Array {
    if (this.#whole) return bytes;
    if (!hasMetadataAt(bytes, this.#lastOffset)) this.#lastOffset = metadataOffset(bytes);
    return bytes.subarray(this.#lastOffset);
  }
}

/** What goes out at once: filled in place, because an array of parts takes longer to make and to join than to copy. */
class Piece {
  readonly #buffer: Buffer;
  #size = 0;

  constructor(buffer: Buffer) {
    this.#buffer = buffer;
  }

  hasRoomFor(bytes: number): boolean {
    return this.#size + bytes <= this.#buffer.length;
  }

  addByte(byte: number): void {
    this.#buffer[this.#size] = byte;
    this.#size += 1;
  }

  add(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#size);
    this.#size += bytes.length;
  }

  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size);
  }

  sendTo(memory: LentMemory): boolean {
    return memory.write(this.#buffer, this.#size);
  }
}

function hasMetadataAt(bytes: Uint8Array, offset: number): boolean {
  for (let index = 0; index < METADATA_MARK.length; index += 1) {
    if (bytes[offset + index] !== METADATA_MARK[index]) return false;
  }
  return true;
}

/** Where `"metadata":` begins: kind and apiVersion stand before it and nothing else. */
function metadataOffset(bytes: Uint8Array): number {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(METADATA_MARK);
}
