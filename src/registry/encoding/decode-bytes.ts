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
import { refuseCrowdedText, refuseCrowdedValue } from "./crowded-body.ts";

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
 * Fails with a codec DecodeError, and with 413 for a body of too many values. Protobuf is read by `schema`. With `countOnly`
 * repeated keys are not named: `keys` tells a caller who counts whether there were any.
 */
export function decodeBytes(
  bytes: Uint8Array,
  mediaType: MediaType,
  schema: StructSchema,
  countOnly = false,
): DecodedBytes {
  const decoded = decodeAs(bytes, mediaType, schema, countOnly);
  if (mediaType !== "json") refuseCrowdedValue(decoded.value, bytes.length);
  return decoded;
}

function decodeAs(bytes: Uint8Array, mediaType: MediaType, schema: StructSchema, countOnly: boolean): DecodedBytes {
  switch (mediaType) {
    case "json":
      refuseCrowdedText(bytes);
      return withOddNumber(countOnly ? decodeJsonCounting(bytes) : decodeJson(bytes), schema);
    case "yaml":
      return decodeYaml(bytes);
    case "cbor":
      return decodeCbor(bytes);
    case "protobuf":
      return { value: decodeProtobuf(bytes, schema) as Json, duplicates: [] };
    default:
      return assertNever(mediaType);
  }
}

function withOddNumber(decoded: Decoded<Json>, schema: StructSchema): DecodedBytes {
  const { oddNumbers } = decoded;
  const oddNumber = oddNumbers.length === 0 ? undefined : oddNumberProblem(oddNumbers, schema);
  return oddNumber === undefined ? decoded : { ...decoded, oddNumber };
}
