// Body bytes in any encoding -> a JSON value.

import { assertNever } from "../../base/assert-never.ts";
import type { Json } from "../../base/json.ts";
import { decodeCbor } from "../../codec/cbor.ts";
import { decodeJson } from "../../codec/json.ts";
import type { MediaType } from "../../codec/negotiate.ts";
import { decodeProtobuf } from "../../codec/protobuf.ts";
import { decodeYaml } from "../../codec/yaml.ts";
import type { StructSchema } from "../../schema/schema.ts";

export interface DecodedBytes {
  readonly value: Json;
  /** `duplicate field "a.b"`, one per repeated key. */
  readonly duplicates: readonly string[];
}

/** Fails with a codec DecodeError. Protobuf is read by `schema`. */
export function decodeBytes(bytes: Uint8Array, mediaType: MediaType, schema: StructSchema): DecodedBytes {
  switch (mediaType) {
    case "json":
      return decodeJson(bytes);
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
