// Objects from the bytes of answers, and bytes of what is sent.

import { isAscii } from "node:buffer";
import { decodeJson, jsonText } from "../../codec/json.ts";

/**
 * One JSON document. Integers beyond 2^53 become bigints, so that an object that is read, changed and written back keeps
 * them. Fails with DecodeError when the bytes are no JSON.
 */
export function decodeObject(bytes: Uint8Array): unknown {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = buffer.toString(isAscii(buffer) ? "latin1" : "utf8");
  // JSON.parse is several times faster; only numbers of so many digits could lose something in it.
  if (!LONG_NUMBER.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      // The full parser says what is wrong, and where.
    }
  }
  return decodeJson(bytes).value;
}

const LONG_NUMBER = /[0-9]{16}/;

export function encodeObject(object: unknown): Uint8Array {
  return Buffer.from(jsonText(object));
}
