// DER, as far as certificates need it: values are built inside out, each function returns the whole encoding.

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return sequenceOf(parts);
}

/** The same of any number of values. */
export function sequenceOf(parts: readonly Uint8Array[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

export function set(...parts: readonly Uint8Array[]): Buffer {
  return tagged(0x31, ...parts);
}

/** A context-specific tag around other values. */
export function explicit(number: number, ...parts: readonly Uint8Array[]): Buffer {
  return tagged(0xa0 | number, ...parts);
}

/** A context-specific tag in place of a primitive's own. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return tagged(0x80 | number, content);
}

export function integer(value: number): Buffer {
  return unsigned(Buffer.from([value]));
}

/** A number of any size, from its big-endian bytes. */
export function unsigned(bytes: Uint8Array): Buffer {
  // The first bit is the sign: a zero byte keeps the number positive.
  return tagged(0x02, bytes[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octets(content: Uint8Array): Buffer {
  return tagged(0x04, content);
}

/** Whole bytes, except that `unusedBits` of the last one do not count. */
export function bits(content: Uint8Array, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.from([unusedBits]), content);
}

export function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, "utf8"));
}

/** An object identifier in dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime until 2049, GeneralizedTime from 2050 on, as certificates demand it. */
export function time(ms: number): Buffer {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replace(/[-:T]/g, "");
  const short = Number(digits.slice(0, 4)) < 2050;
  return tagged(short ? 0x17 : 0x18, Buffer.from(short ? digits.slice(2) : digits, "latin1"));
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(content.length)]), content]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return [0x80 | bytes.length, ...bytes];
}

function base128(value: number): number[] {
  const groups = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) groups.unshift(0x80 | (rest & 0x7f));
  return groups;
}
