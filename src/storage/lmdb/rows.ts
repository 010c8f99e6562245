// The bytes of keys and rows in the LMDB tables, and back. See tables.ts for the layout with an example.

import type { Revision, StoredEntry } from "../engine.ts";

const REVISION_BYTES = 8;
const TWO_POW_32 = 2 ** 32;
const NO_BYTES = Buffer.alloc(0);

/** Big-endian, so that byte order is number order. */
export function encodeRevision(revision: Revision): Buffer {
  const bytes = Buffer.allocUnsafe(REVISION_BYTES);
  writeRevision(bytes, 0, revision);
  return bytes;
}

export function decodeRevision(bytes: Uint8Array, offset = 0): Revision {
  return uint32(bytes, offset) * TWO_POW_32 + uint32(bytes, offset + 4);
}

/** A row of `current` and `history`: the revision of the write, then the value as it was given. */
export function encodeEntryRow(revision: Revision, value: Uint8Array): Buffer {
  // Memory of its own: watchers keep values for long, and a pool would be kept with each.
  const row = Buffer.allocUnsafeSlow(REVISION_BYTES + value.length);
  writeRevision(row, 0, revision);
  row.set(value, REVISION_BYTES);
  return row;
}

export function decodeEntryRow(key: string, row: Uint8Array): StoredEntry {
  return { key, value: row.subarray(REVISION_BYTES), revision: decodeRevision(row) };
}

/**
 * A key of `history`: the key, a terminator, the revision that replaced the row. NUL inside a key is escaped, so that
 * no key's rows fall between those of another: "a" is 61 0000 ..., "a\0b" is 61 00ff 62 0000 ...
 */
export function encodeHistoryKey(key: string, replacedAt: Revision): Buffer {
  const escaped = escapeNul(key);
  const bytes = Buffer.allocUnsafe(escaped.length + 2 + REVISION_BYTES);
  escaped.copy(bytes, 0);
  bytes.writeUInt16BE(0, escaped.length);
  writeRevision(bytes, escaped.length + 2, replacedAt);
  return bytes;
}

export function decodeHistoryKey(bytes: Uint8Array): { readonly key: string; readonly replacedAt: Revision } {
  const end = bytes.length - REVISION_BYTES - 2;
  return { key: unescapeNul(bytes, end), replacedAt: decodeRevision(bytes, end + 2) };
}

/** The smallest history key that is not below any key starting with `prefix`; see `rangeBelow` for its end. */
export function historyPrefix(prefix: string): Buffer {
  return escapeNul(prefix);
}

/** The first byte string after all that start with `prefix`; undefined when there is none: every key follows. */
export function endOfPrefix(prefix: Buffer): Buffer | undefined {
  if (prefix.length === 0) return undefined;
  const end = Buffer.from(prefix);
  // UTF-8 and the escapes never end in 0xff bytes only, but an escaped NUL may end in one.
  for (let last = end.length - 1; last >= 0; last--) {
    const byte = end[last] ?? 0;
    if (byte < 0xff) {
      end[last] = byte + 1;
      return end.subarray(0, last + 1);
    }
  }
  return undefined;
}

const PUT = 1;
const DELETE = 2;

/** A row of `log`: what happened, then to which key. Values are found in `current` or `history`. */
export function encodeLogRow(type: "put" | "delete", key: string): Buffer {
  const row = Buffer.allocUnsafe(1 + Buffer.byteLength(key));
  row[0] = type === "put" ? PUT : DELETE;
  row.write(key, 1, "utf8");
  return row;
}

export function decodeLogRow(row: Buffer): { readonly type: "put" | "delete"; readonly key: string } {
  return { type: row[0] === DELETE ? "delete" : "put", key: row.toString("utf8", 1) };
}

/** A key of `expiry`: when, then the revision of the write whose time is up then. */
export function encodeExpiryKey(expiresAtMs: number, revision: Revision): Buffer {
  const bytes = Buffer.allocUnsafe(2 * REVISION_BYTES);
  writeRevision(bytes, 0, expiresAtMs);
  writeRevision(bytes, REVISION_BYTES, revision);
  return bytes;
}

export function decodeExpiryKey(bytes: Uint8Array): { readonly expiresAtMs: number; readonly revision: Revision } {
  return { expiresAtMs: decodeRevision(bytes), revision: decodeRevision(bytes, REVISION_BYTES) };
}

function writeRevision(target: Buffer, offset: number, revision: Revision): void {
  const high = Math.floor(revision / TWO_POW_32);
  target.writeUInt32BE(high, offset);
  target.writeUInt32BE(revision - high * TWO_POW_32, offset + 4);
}

function uint32(bytes: Uint8Array, offset: number): number {
  return (
    (bytes[offset] ?? 0) * 0x1000000 +
    (((bytes[offset + 1] ?? 0) << 16) | ((bytes[offset + 2] ?? 0) << 8) | (bytes[offset + 3] ?? 0))
  );
}

function escapeNul(text: string): Buffer {
  if (text === "") return NO_BYTES;
  return text.includes("\0") ? escapedBytes(text) : Buffer.from(text, "utf8");
}

// The escape byte ff is not UTF-8, so the escaped form is built byte by byte.
function escapedBytes(text: string): Buffer {
  const parts = text.split("\0").map((part) => Buffer.from(part, "utf8"));
  const separator = Buffer.from([0x00, 0xff]);
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part])));
}

function unescapeNul(bytes: Uint8Array, end: number): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, end);
  if (!view.includes(0)) return view.toString("utf8");
  const plain: number[] = [];
  for (let index = 0; index < end; index++) {
    plain.push(view[index] ?? 0);
    if (view[index] === 0) index++;
  }
  return Buffer.from(plain).toString("utf8");
}
