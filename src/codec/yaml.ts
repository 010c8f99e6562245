// YAML bytes to objects and back, as upstream reads and writes them. Requirements: document 1, "Media types".

import { isUtf8 } from "node:buffer";
import type { Json } from "../base/json.ts";
import { type Decoded, DecodeError, NO_DUPLICATES, NO_ODD_NUMBERS } from "./decode-error.ts";
import { decodeJson } from "./json.ts";
import { composeDocument } from "./yaml/compose.ts";
import { emitYaml } from "./yaml/emit.ts";
import { parseYaml } from "./yaml/parser.ts";

/**
 * The first document of a YAML text. Repeated keys are one finding with a line each. Fails with a DecodeError; so does a
 * document whose aliases would expand without measure, or with a map of more than `maxKeys`.
 */
export function decodeYaml(bytes: Uint8Array, maxKeys = Number.POSITIVE_INFINITY): Decoded<Json> {
  const json = asJson(bytes);
  if (json !== undefined) return json;
  if (!isUtf8(bytes)) throw new DecodeError("yaml: invalid leading UTF-8 octet");
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  const { value, repeatedKeys } = composeDocument(source, parseYaml(source), maxKeys);
  const duplicates =
    repeatedKeys.length === 0 ? NO_DUPLICATES : [`yaml: unmarshal errors:\n  ${repeatedKeys.join("\n  ")}`];
  return { value, duplicates, oddNumbers: NO_ODD_NUMBERS };
}

/** Whether `decodeYaml` reads a text as JSON, which takes a fraction of the time. */
export const isJson = (bytes: Uint8Array): boolean => asJson(bytes) !== undefined;

/** Block style, keys sorted, a newline at the end. */
export function encodeYaml(value: unknown): Uint8Array {
  return Buffer.from(emitYaml(value));
}

/** JSON is YAML, and clients send it as such: the short way where it says the same. */
function asJson(bytes: Uint8Array): Decoded<Json> | undefined {
  if (bytes[0] !== 0x7b) return undefined;
  try {
    const decoded = decodeJson(bytes);
    return decoded.duplicates.length === 0 && decoded.oddNumbers.length === 0 ? decoded : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
