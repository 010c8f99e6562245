// DER (X.690) taken apart, strictly: what could be read in two ways is refused.

export interface DerValue {
  readonly tag: number;
  readonly content: Uint8Array;
  /** With tag and length. */
  readonly whole: Uint8Array;
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tags: of a primitive value, of a constructed one. */
export const context = (number: number): number => 0x80 | number;
export const contextOf = (number: number): number => 0xa0 | number;

/** Fails on bytes that are no DER. */
export class DerError extends RangeError {}

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

/** The one value that the bytes are. */
export function readOnly(bytes: Uint8Array, tag: number): DerValue {
  const value = readAt(bytes, 0);
  if (value.tag !== tag || value.whole.length !== bytes.length) throw new DerError("another value is expected");
  return value;
}

/** The members of a sequence. */
export function readSequence(bytes: Uint8Array): DerValue[] {
  return readAll(readOnly(bytes, TAG.sequence).content);
}

export function readBoolean({ tag, content }: DerValue): boolean {
  if (tag !== TAG.boolean || content.length !== 1 || (content[0] !== 0 && content[0] !== 0xff))
    throw new DerError("a boolean is expected");
  return content[0] === 0xff;
}

/** A number from 0 on that fits. */
export function readCount({ tag, content }: DerValue): number {
  const [first = 0x80, second = 0] = content;
  if (tag !== TAG.integer || first >= 0x80 || content.length > 5) throw new DerError("a number is expected");
  if (content.length > 1 && first === 0 && second < 0x80) throw new DerError("a number is longer than it must be");
  return content.reduce((sum, byte) => sum * 256 + byte, 0);
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

/** Whether a bit of a bit string is set, counted from the first one. */
export function readBits({ tag, content }: DerValue): (bit: number) => boolean {
  const [unused = 8] = content;
  if (tag !== TAG.bitString || unused > 7 || (content.length === 1 && unused > 0))
    throw new DerError("a bit string is expected");
  return (bit) => ((content[1 + (bit >> 3)] ?? 0) & (0x80 >> (bit & 7))) !== 0;
}

/** Milliseconds since 1970. */
export function readTime({ tag, content }: DerValue): number {
  const digits = Buffer.from(content).toString("latin1");
  const short = tag === TAG.utcTime;
  const [, year = "", rest = ""] = (short ? /^(\d\d)(\d{10})Z$/ : /^(\d{4})(\d{10})Z$/).exec(digits) ?? [];
  if ((!short && tag !== TAG.generalizedTime) || rest === "") throw new DerError("a time is expected");
  // Two digits mean the years 1950 to 2049.
  const whole = short ? `${Number(year) < 50 ? "20" : "19"}${year}` : year;
  const [month, day, hour, minute, second] = rest.match(/../g)!;
  const text = `${whole}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const ms = Date.parse(text);
  // A thirtieth of February would be taken for a day of March.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== text) throw new DerError("there is no such time");
  return ms;
}

const MAX_LENGTH_BYTES = 4;

function readAt(bytes: Uint8Array, at: number): DerValue {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined) throw new DerError("it ends too early");
  // Certificates need no tags of several bytes.
  if ((tag & 0x1f) === 0x1f) throw new DerError("it has an unknown tag");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  // 0x80 would be a length that is not known in advance.
  if (first === 0x80 || lengthBytes > MAX_LENGTH_BYTES) throw new DerError("it has a length that DER does not allow");
  const start = at + 2 + lengthBytes;
  let length = lengthBytes === 0 ? first : 0;
  for (let i = at + 2; i < start; i += 1) length = length * 256 + (bytes[i] ?? 0);
  const isMinimal = lengthBytes === 0 || (length >= 0x80 && length >= 256 ** (lengthBytes - 1));
  if (!isMinimal) throw new DerError("it has a length that DER does not allow");
  if (start + length > bytes.length) throw new DerError("it ends too early");
  return { tag, content: bytes.subarray(start, start + length), whole: bytes.subarray(at, start + length) };
}
