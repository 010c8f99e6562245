// The envelope around every protobuf object. Requirements: document 1, "Protobuf envelope".
//
//   6b 38 73 00                      "k8s" and a zero byte
//   0a <len> 0a <len> v1 12 <len> Pod    typeMeta: apiVersion, kind
//   12 <len> ...                     raw: the object
//   1a 00 22 00                      contentEncoding and contentType, empty

import { DecodeError } from "../decode-error.ts";
import { BYTES, Reader } from "./reader.ts";
import type { Writer } from "./writer.ts";

export interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

interface Envelope extends TypeMeta {
  /** A view of the bytes it was read from. */
  readonly raw: Uint8Array;
}

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** What follows `raw`. */
export const ENVELOPE_TAIL = Uint8Array.of(0x1a, 0x00, 0x22, 0x00);

const NO_TYPE: TypeMeta = { apiVersion: "", kind: "" };

const TYPE_META = 0x0a;
const RAW = 0x12;
const API_VERSION = 0x0a;
const KIND = 0x12;

/** Writes everything in front of `raw`'s content. Backwards, so: after the content. */
export function writeEnvelopeHead(writer: Writer, type: TypeMeta, rawSize: number): void {
  writer.uint32(rawSize);
  writer.uint32(RAW);
  const before = writer.size;
  writer.string(type.kind);
  writer.uint32(KIND);
  writer.string(type.apiVersion);
  writer.uint32(API_VERSION);
  writer.uint32(writer.size - before);
  writer.uint32(TYPE_META);
  writer.raw(MAGIC);
}

/** Fails with a DecodeError. */
export function readEnvelope(bytes: Uint8Array): Envelope {
  if (bytes.length === 0) throw new DecodeError("empty data");
  if (!startsWithMagic(bytes)) {
    const prefix = MAGIC.join(" ");
    throw new DecodeError(`provided data does not appear to be a protobuf message, expected prefix [${prefix}]`);
  }
  if (bytes.length === MAGIC.length) throw new DecodeError("empty body");
  const reader = new Reader(bytes.subarray(MAGIC.length));
  let type: TypeMeta = NO_TYPE;
  let raw: Uint8Array = new Uint8Array(0);
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === TYPE_META) type = readTypeMeta(reader, type);
    else if (tag === RAW) raw = reader.bytes();
    else skipOther(reader, tag, ENVELOPE_FIELDS);
  }
  return { apiVersion: type.apiVersion, kind: type.kind, raw };
}

/** By number; the names of those that are all bytes. */
const ENVELOPE_FIELDS = ["", "typeMeta", "raw", "contentEncoding", "contentType"];
const TYPE_FIELDS = ["", "apiVersion", "kind"];

/** What is not known is skipped; what is known must be what it is known as. */
function skipOther(reader: Reader, tag: number, known: readonly string[]): void {
  const [field, wireType] = [known[tag >>> 3], tag & 7];
  if (field !== undefined && wireType !== BYTES)
    throw new DecodeError(`proto: wrong wireType = ${wireType} for field ${field}`);
  reader.skip(wireType);
}

function startsWithMagic(bytes: Uint8Array): boolean {
  for (let index = 0; index < MAGIC.length; index++) if (bytes[index] !== MAGIC[index]) return false;
  return true;
}

function readTypeMeta(reader: Reader, before: TypeMeta): TypeMeta {
  let { apiVersion, kind } = before;
  const outer = reader.enter();
  while (reader.at < reader.end) {
    const tag = reader.tag();
    if (tag === API_VERSION) apiVersion = reader.string();
    else if (tag === KIND) kind = reader.string();
    else skipOther(reader, tag, TYPE_FIELDS);
  }
  reader.leave(outer);
  return { apiVersion, kind };
}
