// JSON bytes to objects and back. Requirements: document 1, "Media types", "Field validation".

import { isAscii, isUtf8 } from "node:buffer";
import type { Json } from "../base/json.ts";
import type { Steps } from "../base/steps.ts";
import { type Decoded, MAX_NESTING_DEPTH, NO_DUPLICATES, NO_ODD_NUMBERS } from "./decode-error.ts";
import { parseJson, parseJsonInSteps, visitFields } from "./json/parse.ts";
import { parseInSteps } from "./json/parse-in-steps.ts";
import {
  countKeysInSteps,
  countKeysInText,
  countKeysInValue,
  countKeysInValueInSteps,
  crowdOf,
  crowdOfInSteps,
} from "./json/scan.ts";
import { jsonText } from "./json/write.ts";
import { jsonBytesInSteps, jsonTextInSteps } from "./json/write-in-steps.ts";

export { crowdOf, crowdOfInSteps, jsonText, jsonTextInSteps };

/**
 * One JSON document. Integers beyond 2^53 become bigints, invalid UTF-8 and halves of surrogate pairs the replacement
 * character. Fails with a DecodeError in upstream's words.
 */
export function decodeJson(bytes: Uint8Array): Decoded<Json> {
  const decoded = parseCounted(bytes);
  // Fewer keys in the value than in the text: some were repeated, and the full parser says which.
  if (decoded === undefined || countKeys(decoded.value) !== decoded.keys) return parseJson(bytes, MAX_NESTING_DEPTH);
  return decoded;
}

/**
 * The same for a caller who walks the value anyway and counts its keys. Where the answer has `keys`, repeated ones have
 * not been looked for: a value with fewer has some, and `decodeJson` says which.
 */
export function decodeJsonCounting(bytes: Uint8Array): Counted {
  return parseCounted(bytes) ?? parseJson(bytes, MAX_NESTING_DEPTH);
}

/**
 * A compact document as this program writes them: nothing in it is repeated or oddly written. Others' are read too, but
 * of repeated keys the last counts.
 */
export function decodeOwnJson(bytes: Uint8Array): Json {
  const text = textOf(bytes);
  if (text !== undefined && !LARGE_INTEGER.test(text)) {
    try {
      return JSON.parse(text) as Json;
    } catch {
      // The full parser says what is wrong.
    }
  }
  return parseJson(bytes, MAX_NESTING_DEPTH).value;
}

/** Or a text that looks like one: JSON.parse would round it. */
const LARGE_INTEGER = /[-:,[\s]\d{16}/;

/** The same as decodeJsonCounting for long documents. */
export function* decodeJsonCountingInSteps(bytes: Uint8Array): Steps<Counted> {
  if (bytes.length < LONG_JSON_BYTES) return decodeJsonCounting(bytes);
  const keys = yield* countKeysInSteps(bytes, MAX_NESTING_DEPTH);
  const encoding = keys < 0 ? undefined : encodingOf(bytes);
  yield;
  const parsed = encoding && (yield* parseInSteps(bytes, encoding));
  if (parsed === undefined) return yield* parseJsonInSteps(bytes, MAX_NESTING_DEPTH);
  return { ...parsed, duplicates: NO_DUPLICATES, oddNumbers: NO_ODD_NUMBERS, keys };
}

/** What `decodeJson` says, of long documents. */
export function* decodeJsonInSteps(bytes: Uint8Array): Steps<Decoded<Json>> {
  const decoded = yield* decodeJsonCountingInSteps(bytes);
  if (decoded.keys === undefined) return decoded;
  yield;
  const keys = yield* countKeysInValueInSteps(decoded.value);
  return keys === decoded.keys ? decoded : yield* parseJsonInSteps(bytes, MAX_NESTING_DEPTH);
}

/** Shorter documents are read at once: the densest, of the shortest keys and values, in some 4 ms. */
export const LONG_JSON_BYTES = 64 * 1024;

type Counted = Decoded<Json> & { /** Of the text. */ readonly keys?: number };

/**
 * Findings about the fields of a document (`unknown field "a.b"`, `duplicate field "a"`) in the order in which a reader of
 * its text comes to them: a repeated field where it stands again. Those with very long paths come last.
 */
export function* inTextOrder(findings: readonly string[], bytes: Uint8Array): Steps<string[]> {
  const known = new Set(findings);
  const ordered = new Set<string>();
  const seen = new Set<string>();
  yield* visitFields(bytes, MAX_NESTING_DEPTH, (path) => {
    if (known.has(`unknown field ${path}`)) ordered.add(`unknown field ${path}`);
    const repeated = `duplicate field ${path}`;
    if (!known.has(repeated)) return;
    // Only where it stands again.
    if (seen.has(repeated)) ordered.add(repeated);
    seen.add(repeated);
  });
  return [...ordered, ...findings.filter((finding) => !ordered.has(finding))];
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
  return Buffer.from(jsonText(value, PRETTY_INDENT));
}

/** What `encodeJsonPlain` says, of long values. */
export function encodeJsonPlainInSteps(value: unknown): Steps<Uint8Array> {
  return jsonBytesInSteps(value);
}

/** What `encodeJson` says, of long values. */
export function encodeJsonInSteps(value: unknown): Steps<Uint8Array> {
  return jsonBytesInSteps(value, { end: "\n" });
}

/** What `encodeJsonPretty` says, of long values. */
export function encodeJsonPrettyInSteps(value: unknown): Steps<Uint8Array> {
  return jsonBytesInSteps(value, { indent: PRETTY_INDENT });
}

const PRETTY_INDENT = "  ";

/** Undefined where JSON.parse would lose something, or refuses the document. */
function parseCounted(bytes: Uint8Array): (Decoded<Json> & { readonly keys: number }) | undefined {
  const keys = countKeysInText(bytes, MAX_NESTING_DEPTH);
  if (keys < 0) return undefined;
  const text = textOf(bytes);
  if (text === undefined) return undefined;
  try {
    return { value: JSON.parse(text) as Json, duplicates: NO_DUPLICATES, oddNumbers: NO_ODD_NUMBERS, keys };
  } catch {
    return undefined;
  }
}

/** Undefined for what is not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  const encoding = encodingOf(bytes);
  if (encoding === undefined) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(encoding);
}

/** Most documents are plain ASCII, which needs no decoding. */
function encodingOf(bytes: Uint8Array): "latin1" | "utf8" | undefined {
  if (isAscii(bytes)) return "latin1";
  return isUtf8(bytes) ? "utf8" : undefined;
}

function countKeys(value: Json): number {
  return typeof value === "object" && value !== null ? countKeysInValue(value) : 0;
}
