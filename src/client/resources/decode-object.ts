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
  if (!hasLongNumber(bytes)) {
    try {
      return JSON.parse(text);
    } catch {
      // The full parser says what is wrong, and where.
    }
  }
  return decodeJson(bytes).value;
}

const LONG = 16;
const [ZERO, NINE] = [0x30, 0x39];

/** Whether so many digits stand in a row somewhere: then one of them stands at a multiple of that number. */
export function hasLongNumber(bytes: Uint8Array): boolean {
  const { length } = bytes;
  for (let at = LONG - 1; at < length; at += LONG) {
    // Without a call: every answer and event is looked through.
    if (bytes[at]! < ZERO || bytes[at]! > NINE) continue;
    let start = at;
    while (start > 0 && bytes[start - 1]! >= ZERO && bytes[start - 1]! <= NINE) start -= 1;
    let end = at + 1;
    while (end < length && bytes[end]! >= ZERO && bytes[end]! <= NINE) end += 1;
    if (end - start >= LONG) return true;
  }
  return false;
}

export function encodeObject(object: unknown): Uint8Array {
  return Buffer.from(jsonText(object));
}
