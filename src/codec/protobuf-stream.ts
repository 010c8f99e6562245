// Protobuf made of parts that are encoded already: lists from their items, watch events from their objects.

import { DecodeError } from "./decode-error.ts";
import { ENVELOPE_TAIL, type TypeMeta, writeEnvelopeHead } from "./protobuf/envelope.ts";
import { Reader } from "./protobuf/reader.ts";
import { Writer } from "./protobuf/writer.ts";

export interface ListMeta {
  readonly selfLink?: string;
  /** Absent where nothing is stored. */
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface EncodedList {
  readonly sizeBytes: number;
  /** In order; they share memory with the items. */
  chunks(): Iterable<Uint8Array>;
}

/** The field numbers of a list. */
interface ListNumbers {
  readonly metadata: number;
  readonly items: number;
}

export const LIST_NUMBERS: ListNumbers = { metadata: 1, items: 2 };
/** The one list that has them the other way round: PartialObjectMetadataList v1beta1. */
export const PARTIAL_LIST_V1BETA1_NUMBERS: ListNumbers = { metadata: 2, items: 1 };

const writer = new Writer();

/**
 * A list from its items (encodeProtobufItem). Nothing is copied: the chunks are the items themselves.
 */
export function encodeProtobufList(
  type: TypeMeta,
  meta: ListMeta,
  items: readonly Uint8Array[],
  numbers: ListNumbers = LIST_NUMBERS,
): EncodedList {
  const metaBytes = listMetaBytes(meta, numbers.metadata);
  let rawSize = metaBytes.length;
  for (const item of items) rawSize += item.length;
  writer.reset();
  writeEnvelopeHead(writer, type, rawSize);
  const head = writer.finish();
  return {
    sizeBytes: head.length + rawSize + ENVELOPE_TAIL.length,
    *chunks() {
      yield head;
      if (numbers.metadata < numbers.items) yield metaBytes;
      yield* items;
      if (numbers.metadata > numbers.items) yield metaBytes;
      yield ENVELOPE_TAIL;
    },
  };
}

/**
 * One frame of a watch: its length in four bytes, then a WatchEvent whose object is in its envelope (encodeProtobuf). The
 * event itself has no envelope.
 */
export function encodeProtobufWatchEvent(type: string, object: Uint8Array): Uint8Array {
  writer.reset();
  writer.bytes(object);
  writer.uint32(RAW);
  writer.uint32(writer.size);
  writer.uint32(EVENT_OBJECT);
  writer.string(type);
  writer.uint32(EVENT_TYPE);
  const { size } = writer;
  writer.raw(Uint8Array.of(size >>> 24, size >>> 16, size >>> 8, size));
  return writer.finish();
}

/** The frames of a watch without their lengths, as pieces of any size bring them. Fails with a DecodeError. */
export async function* readProtobufFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    rest = rest.length === 0 ? Buffer.from(piece) : Buffer.concat([rest, piece]);
    while (rest.length >= LENGTH_BYTES) {
      const size = rest.readUInt32BE(0);
      if (size > MAX_FRAME_BYTES) throw new DecodeError(`a frame of ${size} bytes is larger than ${MAX_FRAME_BYTES}`);
      if (rest.length < LENGTH_BYTES + size) break;
      yield rest.subarray(LENGTH_BYTES, LENGTH_BYTES + size);
      rest = rest.subarray(LENGTH_BYTES + size);
    }
  }
  if (rest.length > 0) throw new DecodeError("the last frame was cut short");
}

const LENGTH_BYTES = 4;
const MAX_FRAME_BYTES = 64 * 1024 * 1024;

/** What a frame says; the object is in its envelope. Fails with a DecodeError. */
export function readProtobufWatchEvent(frame: Uint8Array): { readonly type: string; readonly object: Uint8Array } {
  const reader = new Reader(frame);
  let type = "";
  let object: Uint8Array = new Uint8Array(0);
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === EVENT_TYPE) type = reader.string();
    else if (tag === EVENT_OBJECT) {
      const outer = reader.enter();
      while (reader.at < reader.end) {
        const inner = reader.tag();
        if (inner === RAW) object = reader.bytes();
        else reader.skip(inner & 7);
      }
      reader.leave(outer);
    } else reader.skip(tag & 7);
  }
  return { type, object };
}

const RAW = 0x0a;
const EVENT_TYPE = 0x0a;
const EVENT_OBJECT = 0x12;

/** ListMeta with its tag: selfLink 1, resourceVersion 2, continue 3, remainingItemCount 4. */
function listMetaBytes(meta: ListMeta, number: number): Uint8Array {
  writer.reset();
  if (meta.remainingItemCount !== undefined) {
    writer.int64(meta.remainingItemCount);
    writer.uint32(0x20);
  }
  writer.string(meta.continue ?? "");
  writer.uint32(0x1a);
  writer.string(meta.resourceVersion ?? "");
  writer.uint32(0x12);
  writer.string(meta.selfLink ?? "");
  writer.uint32(0x0a);
  writer.uint32(writer.size);
  writer.uint32(number * 8 + 2);
  return writer.finish();
}
