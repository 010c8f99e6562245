// Over values of JSON without decoding them.
//
// Objects of a list resemble each other: what was skipped in one often stands in the next, byte for byte. A value that
// begins like it ends like it, and comparing is many times faster than looking for its end.

/** A value that was skipped, and the values in it. */
export interface Skipped {
  bytes: Uint8Array;
  from: number;
  to: number;
  readonly inside: Skipped[];
}

/** Smaller values are looked through faster than compared. */
const MIN_COMPARED_BYTES = 48;
/** How far down, and how many of one object, are remembered. */
const MAX_REMEMBERED_DEPTH = 3;
const MAX_REMEMBERED = 32;

/** Behind the value at `start`, which is compared with the one that was skipped in its place last time. */
export function skip(bytes: Uint8Array, start: number, places: Skipped[], place: number, depth: number): number {
  const byte = bytes[start];
  if ((byte !== 0x7b /* { */ && byte !== 0x5b) /* [ */ || depth > MAX_REMEMBERED_DEPTH || place >= MAX_REMEMBERED)
    return endOfValue(bytes, start);
  const last = places[place];
  if (last === undefined) {
    const end = endOfValue(bytes, start);
    places[place] = { bytes, from: start, to: end, inside: [] };
    return end;
  }
  const size = last.to - last.from;
  if (size < MIN_COMPARED_BYTES) last.to = endOfValue(bytes, start);
  else if (beginsLike(bytes, start, last)) return start + size;
  else last.to = skipInside(bytes, start, last.inside, depth);
  last.bytes = bytes;
  last.from = start;
  return last.to;
}

function beginsLike(bytes: Uint8Array, start: number, { bytes: other, from, to }: Skipped): boolean {
  const end = start + to - from;
  return end <= bytes.length && Buffer.prototype.compare.call(bytes, other, from, to, start, end) === 0;
}

/** The same for an object or a list that is not as it was: most of what is in it may be. */
function skipInside(bytes: Uint8Array, start: number, places: Skipped[], depth: number): number {
  let place = 0;
  let at = start + 1;
  while (at < bytes.length) {
    const byte = bytes[at]!;
    if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) return at + 1;
    if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
      at = skip(bytes, at, places, place, depth + 1);
      place += 1;
    } else at = byte === 0x22 /* " */ ? endOfValue(bytes, at) : at + 1;
  }
  return bytes.length;
}

/**
 * Behind the value that begins at `start`. Says nothing about what is malformed: whoever decodes the rest does. Bytes are
 * compared with character codes written out: see json/scan.ts.
 */
export function endOfValue(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let depth = 0;
  let at = start;
  while (at < length) {
    const byte = bytes[at]!;
    if (byte === 0x22 /* " */) {
      at += 1;
      while (at < length && bytes[at] !== 0x22) at += bytes[at] === 0x5c /* \ */ ? 2 : 1;
      if (depth === 0) return at + 1;
    } else if (byte === 0x7b /* { */ || byte === 0x5b /* [ */) {
      depth += 1;
    } else if (byte === 0x7d /* } */ || byte === 0x5d /* ] */) {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (byte === 0x2c /* , */ || byte <= 0x20)) {
      return at;
    }
    at += 1;
  }
  return length;
}
