// Whether a text is base64, and where it goes wrong, counted as upstream's decoder counts. Texts may be a megabyte long: the
// engine searches them for what they may not hold, which takes a fraction of the time that a pattern of all of it takes.

const LINE_END = /[\r\n]/;
const NO_DIGIT = /[^A-Za-z0-9+/]/;
const NO_DIGIT_NOR_LINE_END = /[^A-Za-z0-9+/\r\n]/;

/** Whole groups of four and nothing between them, not even ends of lines. */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const digits = text.search(NO_DIGIT);
  return digits < 0 || (digits >= text.length - 2 && text.endsWith("==".slice(digits - text.length)));
}

/** The same text without ends of lines, of which there may be as many as there are digits. */
export function withoutLineEnds(text: string): string {
  if (!LINE_END.test(text)) return text;
  const bytes = Buffer.from(text, "utf8");
  let end = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index]!;
    if (!isLineEnd(byte)) bytes[end++] = byte;
  }
  return bytes.toString("utf8", 0, end);
}

/** The offset of the byte at which decoding `text` (which is known to be bad) stops. */
export function badBase64At(text: string): number {
  const bytes = Buffer.from(text, "utf8");
  // Up to there a byte is a character.
  const found = text.search(NO_DIGIT_NOR_LINE_END);
  const first = found < 0 ? bytes.length : found;
  const filled = (first - countLineEnds(text, first)) % 4;
  if (found < 0) return first - filled;
  return bytes[first] !== 0x3d || filled < 2 ? first : badPaddingAt(bytes, first, filled);
}

function countLineEnds(text: string, before: number): number {
  let count = 0;
  for (let index = 0; index < before; index += 1) if (isLineEnd(text.charCodeAt(index))) count += 1;
  return count;
}

const isLineEnd = (code: number | undefined): boolean => code === 0x0a || code === 0x0d;

function badPaddingAt(bytes: Buffer, first: number, filled: number): number {
  let i = first;
  if (filled === 2) {
    i = skipLineEnds(bytes, i + 1);
    if (i >= bytes.length) return bytes.length;
    if (bytes[i] !== 0x3d) return i - 1;
  }
  return skipLineEnds(bytes, i + 1);
}

function skipLineEnds(bytes: Buffer, from: number): number {
  let i = from;
  while (isLineEnd(bytes[i])) i++;
  return i;
}
