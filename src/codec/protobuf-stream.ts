// Protobuf made of parts that are encoded already: lists from their items, watch events from their objects.

import { ENVELOPE_TAIL, type TypeMeta, writeEnvelopeHead } from "./protobuf/envelope.ts";
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
