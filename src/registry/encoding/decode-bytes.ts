// Body bytes in any encoding -> a JSON value.

import { assertNever } from "../../base/assert-never.ts";
import type { Json } from "../../base/json.ts";
import { atOnce, type Steps } from "../../base/steps.ts";
import { decodeCbor, decodeCborInSteps } from "../../codec/cbor.ts";
import { type Decoded, DecodeError } from "../../codec/decode-error.ts";
import {
  decodeJson,
  decodeJsonCounting,
  decodeJsonCountingInSteps,
  decodeJsonInSteps,
  LONG_JSON_BYTES,
} from "../../codec/json.ts";
import type { MediaType } from "../../codec/negotiate.ts";
import { oddNumberProblem } from "../../codec/odd-numbers.ts";
import { decodeProtobuf, decodeProtobufInSteps } from "../../codec/protobuf.ts";
import { decodeYaml, isJson } from "../../codec/yaml.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { asCrowded, MAX_BODY_KEYS, refuseCrowdedText, refuseCrowdedValue } from "./crowded-body.ts";
import { LONG_YAML_BYTES, type LongYaml, type YamlAsJson } from "./long-yaml.ts";

/** The bytes of a body, and what they are. */
export interface EncodedBody {
  readonly bytes: Uint8Array;
  readonly mediaType: MediaType;
  /** What has been read of long YAML, or why it cannot be read. */
  readonly longYaml?: YamlAsJson | DecodeError;
}

/** To be called before bytes that came in are decoded: long YAML is read elsewhere meanwhile. */
export async function encodedBody(yaml: LongYaml, bytes: Uint8Array, mediaType: MediaType): Promise<EncodedBody> {
  if (mediaType !== "yaml" || (bytes.length < LONG_YAML_BYTES && !mayRepeat(bytes))) return { bytes, mediaType };
  if (bytes.length < LONG_JSON_AS_YAML_BYTES && isJson(bytes)) return { bytes, mediaType };
  try {
    return { bytes, mediaType, longYaml: await yaml.read(bytes) };
  } catch (error) {
    if (error instanceof DecodeError) return { bytes, mediaType, longYaml: error };
    throw error;
  }
}

/** How much there is to read: YAML may stand for more than it is long. */
export function sizeOfBody({ bytes, longYaml }: EncodedBody): number {
  return longYaml === undefined || longYaml instanceof DecodeError ? bytes.length : longYaml.bytes.length;
}

/** Whether a YAML text may stand for more than it is long: has it the marks of anchors and aliases? */
const mayRepeat = (bytes: Uint8Array): boolean => bytes.includes(AMPERSAND) && bytes.includes(ASTERISK);
const AMPERSAND = 0x26;
const ASTERISK = 0x2a;

/** Shorter JSON, as clients send it for YAML, takes less time here than the way to the thread and back. */
const LONG_JSON_AS_YAML_BYTES = 32 * 1024;

export interface DecodedBytes {
  readonly value: Json;
  /** `duplicate field "a.b"`, one per repeated key. */
  readonly duplicates: readonly string[];
  /** Numbers at integer fields that are not written as integers, in upstream's words; undefined when there is none. */
  readonly oddNumber?: string;
  /** Where duplicates have only been counted: the keys of the text. Fewer in the value: some were repeated. */
  readonly keys?: number;
}

/**
 * Fails with a codec DecodeError, and with 413 for a body of too many values or a map of too many keys. Protobuf is read by
 * `schema`. With `countOnly` repeated keys are not named: `keys` tells a caller who counts whether there were any.
 */
export function decodeBytes(body: EncodedBody, schema: StructSchema, countOnly = false): DecodedBytes {
  try {
    return atOnce(checked(body, decodeAs(body, schema, countOnly)));
  } catch (error) {
    throw asCrowded(error);
  }
}

/** The same for large bodies. */
export function* decodeBytesInSteps(body: EncodedBody, schema: StructSchema, countOnly = false): Steps<DecodedBytes> {
  // Nearly all are short: they go no long way round.
  if (body.bytes.length < LONG_BYTES[body.mediaType]) return decodeBytes(body, schema, countOnly);
  try {
    const decoded = yield* decodeLong(body, schema, countOnly);
    yield;
    return yield* checked(body, decoded);
  } catch (error) {
    throw asCrowded(error);
  }
}

/** What is not JSON takes longer for each of its values, which may be as short as one or two bytes. */
const LONG_BYTES: Readonly<Record<MediaType, number>> = {
  json: LONG_JSON_BYTES,
  yaml: LONG_JSON_AS_YAML_BYTES,
  cbor: 16 * 1024,
  protobuf: 16 * 1024,
};

function* checked({ bytes, mediaType }: EncodedBody, decoded: DecodedBytes): Steps<DecodedBytes> {
  if (mediaType !== "json") yield* refuseCrowdedValue(decoded.value, bytes.length);
  return decoded;
}

const OPEN_BRACE = 0x7b;

function decodeAs({ bytes, mediaType, longYaml }: EncodedBody, schema: StructSchema, countOnly: boolean): DecodedBytes {
  switch (mediaType) {
    case "json":
      atOnce(refuseCrowdedText(bytes));
      return withOddNumber(countOnly ? decodeJsonCounting(bytes) : decodeJson(bytes), schema);
    case "yaml":
      // JSON is YAML, and most of it is.
      if (bytes[0] === OPEN_BRACE) atOnce(refuseCrowdedText(bytes));
      if (longYaml instanceof DecodeError) throw longYaml;
      if (longYaml !== undefined)
        return { value: decodeJsonCounting(longYaml.bytes).value, duplicates: longYaml.duplicates };
      return decodeYaml(bytes, MAX_BODY_KEYS);
    case "cbor":
      return decodeCbor(bytes, MAX_BODY_KEYS, schema);
    case "protobuf":
      return { value: decodeProtobuf(bytes, schema, MAX_BODY_KEYS) as Json, duplicates: [] };
    default:
      return assertNever(mediaType);
  }
}

/** What takes long of a long body is its JSON, also that which YAML was turned into, its CBOR or its protobuf. */
function* decodeLong(body: EncodedBody, schema: StructSchema, countOnly: boolean): Steps<DecodedBytes> {
  const { bytes, mediaType, longYaml } = body;
  if (mediaType === "json") {
    yield* refuseCrowdedText(bytes);
    const decoded = countOnly ? yield* decodeJsonCountingInSteps(bytes) : yield* decodeJsonInSteps(bytes);
    return withOddNumber(decoded, schema);
  }
  if (mediaType === "cbor") return yield* decodeCborInSteps(bytes, MAX_BODY_KEYS, schema);
  if (mediaType === "protobuf")
    return { value: (yield* decodeProtobufInSteps(bytes, schema, MAX_BODY_KEYS)) as Json, duplicates: [] };
  if (mediaType !== "yaml" || longYaml === undefined || longYaml instanceof DecodeError)
    return decodeAs(body, schema, countOnly);
  if (bytes[0] === OPEN_BRACE) yield* refuseCrowdedText(bytes);
  return { value: (yield* decodeJsonCountingInSteps(longYaml.bytes)).value, duplicates: longYaml.duplicates };
}

function withOddNumber(decoded: Decoded<Json>, schema: StructSchema): DecodedBytes {
  const { oddNumbers } = decoded;
  const oddNumber = oddNumbers.length === 0 ? undefined : oddNumberProblem(oddNumbers, schema);
  return oddNumber === undefined ? decoded : { ...decoded, oddNumber };
}
