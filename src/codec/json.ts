// JSON bytes to objects and back. Requirements: document 1, "Media types", "Field validation".

import { isUtf8 } from "node:buffer";
import type { Json } from "../base/json.ts";
import { type Decoded, MAX_NESTING_DEPTH, NO_DUPLICATES, NO_ODD_NUMBERS } from "./decode-error.ts";
import { parseJson } from "./json/parse.ts";
import { countKeysInText, countKeysInValue } from "./json/scan.ts";
import { jsonText } from "./json/write.ts";

/**
 * One JSON document. Integers beyond 2^53 become bigints, invalid UTF-8 and halves of surrogate pairs the replacement
 * character. Fails with a DecodeError in upstream's words.
 */
export function decodeJson(bytes: Uint8Array): Decoded<Json> {
  const keys = countKeysInText(bytes, MAX_NESTING_DEPTH);
  if (keys >= 0 && isUtf8(bytes)) {
    const value = tryParse(bytes);
    // Fewer keys in the value than in the text: some were repeated, and the full parser says which.
    if (value !== undefined && countKeys(value) === keys) {
      return { value, duplicates: NO_DUPLICATES, oddNumbers: NO_ODD_NUMBERS };
    }
  }
  return parseJson(bytes, MAX_NESTING_DEPTH);
}

/** Compact, keys in their order, a newline at the end, as a response or a watch event has it. */
export function encodeJson(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value) + "\n");
}

/** Compact, without the newline: for bytes at rest and for splicing into larger documents. */
export function encodeJsonPlain(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value));
}

/** Indented by two spaces, for people. */
export function encodeJsonPretty(value: unknown): Uint8Array {
  return Buffer.from(jsonText(value, "  "));
}

function tryParse(bytes: Uint8Array): Json | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function countKeys(value: Json): number {
  return typeof value === "object" && value !== null ? countKeysInValue(value) : 0;
}
