// Body bytes in any encoding -> a JSON value.

import { assertNever } from "../../base/assert-never.ts";
import type { Json } from "../../base/json.ts";
import { decodeCbor } from "../../codec/cbor.ts";
import type { Decoded } from "../../codec/decode-error.ts";
import { decodeJson, decodeJsonCounting } from "../../codec/json.ts";
import type { MediaType } from "../../codec/negotiate.ts";
import { oddNumberProblem } from "../../codec/odd-numbers.ts";
import { decodeProtobuf } from "../../codec/protobuf.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import type { StructSchema } from "../../schema/schema.ts";
import { asCrowded, MAX_BODY_KEYS, refuseCrowdedText, refuseCrowdedValue } from "./crowded-body.ts";

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
export function decodeBytes(
  bytes: Uint8Array,
  mediaType: MediaType,
  schema: StructSchema,
  countOnly = false,
): DecodedBytes {
  let decoded: DecodedBytes;
  try {
    decoded = decodeAs(bytes, mediaType, schema, countOnly);
  } catch (error) {
    throw asCrowded(error);
  }
  if (mediaType !== "json") refuseCrowdedValue(decoded.value, bytes.length);
  return decoded;
}

const OPEN_BRACE = 0x7b;

function decodeAs(bytes: Uint8Array, mediaType: MediaType, schema: StructSchema, countOnly: boolean): DecodedBytes {
  switch (mediaType) {
    case "json":
      refuseCrowdedText(bytes);
      return withOddNumber(countOnly ? decodeJsonCounting(bytes) : decodeJson(bytes), schema);
    case "yaml":
      // JSON is YAML, and most of it is.
      if (bytes[0] === OPEN_BRACE) refuseCrowdedText(bytes);
      return decodeYaml(bytes, MAX_BODY_KEYS);
    case "cbor":
      return decodeCbor(bytes, MAX_BODY_KEYS);
    case "protobuf":
      return { value: decodeProtobuf(bytes, schema, MAX_BODY_KEYS) as Json, duplicates: [] };
    default:
      return assertNever(mediaType);
  }
}

function withOddNumber(decoded: Decoded<Json>, schema: StructSchema): DecodedBytes {
  const { oddNumbers } = decoded;
  const oddNumber = oddNumbers.length === 0 ? undefined : oddNumberProblem(oddNumbers, schema);
  return oddNumber === undefined ? decoded : { ...decoded, oddNumber };
}
