// UTF-8 to text as upstream reads it: every byte that is no part of a character becomes one replacement character. (The
// platform's decoder makes one of several such bytes.)

import { isUtf8 } from "node:buffer";

export function decodeUtf8(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  const part = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
  if (isUtf8(part)) return part.toString("utf8");
  return repaired(part).toString("utf8");
}

/** The same bytes with the replacement character for every byte that is wrong. One pass. */
function repaired(bytes: Buffer): Buffer {
  // One byte becomes three at most.
  const target = Buffer.allocUnsafe(bytes.length * 3);
  let length = 0;
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    if (size === 0) {
      target[length++] = 0xef;
      target[length++] = 0xbf;
      target[length++] = 0xbd;
      at++;
    } else for (const next = at + size; at < next; at++) target[length++] = bytes[at]!;
  }
  return target.subarray(0, length);
}

/** The length of the valid character at this place, 0 when there is none. */
function characterSize(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + size > bytes.length) return 0;
  // Overlong forms, surrogates and what is beyond the last plane are told by the second byte.
  const second = bytes[at + 1]!;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < least || second > most) return 0;
  for (let index = 2; index < size; index++) if ((bytes[at + index]! & 0xc0) !== 0x80) return 0;
  return size;
}
