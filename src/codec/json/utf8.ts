// UTF-8 to text as upstream reads it: every byte that is no part of a character becomes one replacement character. (The
// platform's decoder makes one of several such bytes.)

import { isUtf8 } from "node:buffer";

export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  if (isUtf8(part)) return part.toString("utf8");
  let text = "";
  for (let at = 0; at < part.length; ) {
    const size = characterSize(part, at);
    text += size === 0 ? "\ufffd" : part.toString("utf8", at, at + size);
    at += size === 0 ? 1 : size;
  }
  return text;
}

/** The length of the valid character at this place, 0 when there is none. */
function characterSize(bytes: Buffer, at: number): number {
  for (let size = 1; size <= 4 && at + size <= bytes.length; size++) {
    if (isUtf8(bytes.subarray(at, at + size))) return size;
  }
  return 0;
}
