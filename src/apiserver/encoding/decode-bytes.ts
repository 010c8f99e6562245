// Body bytes in any encoding -> a JSON value.

import type { Json } from "../../base/json.ts";
import { decodeJson } from "../../codec/json.ts";
import type { MediaType } from "../../codec/negotiate.ts";
import type { StructSchema } from "../../schema/schema.ts";

export interface DecodedBytes {
  readonly value: Json;
  /** `duplicate field "a.b"`, one per repeated key. */
  readonly duplicates: readonly string[];
}

/** Fails with a codec DecodeError. */
export function decodeBytes(bytes: Uint8Array, mediaType: MediaType, _schema: StructSchema): DecodedBytes {
  switch (mediaType) {
    case "json":
      return decodeJson(bytes);
    default:
      throw new Error(`no decoder for ${mediaType}`);
  }
}
