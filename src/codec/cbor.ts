// CBOR bytes to objects and back, behind the feature gate CBORServingAndStorage. Requirements: document 1, "Media types".

import type { Json } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import type { Schema } from "../schema/schema.ts";
import { byteFields } from "./cbor/byte-fields.ts";
import { readCbor, readCborInSteps } from "./cbor/decode.ts";
import { writeCbor, writeCborInSteps } from "./cbor/encode.ts";
import { type Decoded, DecodeError, NO_DUPLICATES, NO_ODD_NUMBERS } from "./decode-error.ts";

/** Tag 55799: what follows is CBOR. */
const SELF_DESCRIPTION = Uint8Array.of(0xd9, 0xd9, 0xf7);

/**
 * One data item, with or without the tag that says so, and nothing behind it. Fails with a DecodeError; also where one map has
 * more than `maxKeys`. The schema says what of it is bytes.
 */
export function decodeCbor(bytes: Uint8Array, maxKeys = Number.POSITIVE_INFINITY, schema?: Schema): Decoded<Json> {
  return whole(bytes, readCbor(bytes, maxKeys, schema && byteFields(schema)));
}

/** The same for long bytes. */
export function* decodeCborInSteps(bytes: Uint8Array, maxKeys: number, schema?: Schema): Steps<Decoded<Json>> {
  return whole(bytes, yield* readCborInSteps(bytes, maxKeys, undefined, schema && byteFields(schema)));
}

function whole(bytes: Uint8Array, { value, end }: { readonly value: Json; readonly end: number }): Decoded<Json> {
  if (end < bytes.length) {
    const extra = bytes.length - end;
    throw new DecodeError(`cbor: ${extra} bytes of extraneous data starting at index ${end}`);
  }
  return { value, duplicates: NO_DUPLICATES, oddNumbers: NO_ODD_NUMBERS };
}

/**
 * One data item behind the tag. The items of a sequence (a watch) are written one after the other. The schema says what of
 * the value is bytes.
 */
export function encodeCbor(value: unknown, schema?: Schema): Uint8Array {
  return writeCbor(value, SELF_DESCRIPTION, schema && byteFields(schema));
}

/** The same for large values. */
export function encodeCborInSteps(value: unknown, schema?: Schema): Steps<Uint8Array> {
  return writeCborInSteps(value, SELF_DESCRIPTION, schema && byteFields(schema));
}

// Keys of one event, the shorter one first.
const EVENT_HEAD = Buffer.concat([SELF_DESCRIPTION, Uint8Array.of(0xa2), Buffer.from("Dtype")]);
const EVENT_OBJECT = Buffer.from("Fobject");
/** A byte string of so many bytes has its length in its first byte. */
const SHORT_TEXT = 0x40;

/** One event of a watch around the item of its object, which says itself that it is CBOR, as upstream's do. */
export function encodeCborEvent(type: string, object: Uint8Array): Uint8Array {
  return Buffer.concat([EVENT_HEAD, Uint8Array.of(SHORT_TEXT | type.length), Buffer.from(type), EVENT_OBJECT, object]);
}
