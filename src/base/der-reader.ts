// DER (X.690) taken apart, strictly: what could be read in two ways is refused.

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly whole: Uint8Array;
}

export const TAG = {
  integer: 0x02,
  bitString: 0x03,
  oid: 0x06,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tags of constructed values. */
export const contextOf = (number: number): number => 0xa0 | number;

/** Bytes that are no DER, or not the DER that is expected. */
export class DerError extends RangeError {
  /** The bytes end before the value does. */
  readonly isTruncated: boolean;

  constructor(message: string, isTruncated = false) {
    super(message);
    this.isTruncated = isTruncated;
  }
}

/** The values that stand one after the other; nothing may be left over. */
export function readAll(bytes: Uint8Array): DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length; ) {
    const value = readAt(bytes, at);
    values.push(value);
    at += value.whole.length;
  }
  return values;
}

/** The value that the bytes begin with. */
export function readFirst(bytes: Uint8Array): DerValue {
  return readAt(bytes, 0);
}

/** The members of the sequence that the bytes are. */
export function readSequence(bytes: Uint8Array): DerValue[] {
  const value = readFirst(bytes);
  if (value.tag !== TAG.sequence || value.whole.length !== bytes.length) throw new DerError("a sequence is expected");
  return readAll(value.content);
}

/** An object identifier in dotted form. */
export function readOid({ tag, content }: DerValue): string {
  if (tag !== TAG.oid || content.length === 0 || content.at(-1)! >= 0x80)
    throw new DerError("an object identifier is expected");
  const numbers: number[] = [];
  let value = 0;
  let isFirst = true;
  for (const byte of content) {
    if (isFirst && byte === 0x80) throw new DerError("an object identifier is longer than it must be");
    value = value * 128 + (byte & 0x7f);
    if (!Number.isSafeInteger(value)) throw new DerError("an object identifier is too large");
    isFirst = byte < 0x80;
    if (!isFirst) continue;
    numbers.push(value);
    value = 0;
  }
  const first = numbers[0]!;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...numbers.slice(1)].join(".");
}

const MAX_LENGTH_BYTES = 4;

function readAt(bytes: Uint8Array, at: number): DerValue {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError("it ends too early", true);
  // Certificates need no tags of several bytes.
  if ((tag & 0x1f) === 0x1f) throw new DerError("it has an unknown tag");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  // 0x80 would be a length that is not known in advance.
  if (first === 0x80 || lengthBytes > MAX_LENGTH_BYTES) throw new DerError("it has a length that DER does not allow");
  const start = at + 2 + lengthBytes;
  if (start > bytes.length) throw new DerError("it ends too early", true);
  let length = lengthBytes === 0 ? first : 0;
  for (let i = at + 2; i < start; i += 1) length = length * 256 + bytes[i]!;
  const isMinimal = lengthBytes === 0 || (length >= 0x80 && length >= 256 ** (lengthBytes - 1));
  if (!isMinimal) throw new DerError("it has a length that DER does not allow");
  if (start + length > bytes.length) throw new DerError("it ends too early", true);
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}
