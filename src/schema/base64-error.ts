// Where base64 text goes wrong, counted as upstream's decoder counts.

/** The offset of the byte at which decoding `text` (which is known to be bad) stops. */
export function badBase64At(text: string): number {
  const bytes = Buffer.from(text, "utf8");
  let filled = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === 0x0a || byte === 0x0d) continue;
    if (isBase64Byte(byte)) {
      filled = (filled + 1) % 4;
      continue;
    }
    if (byte !== 0x3d || filled < 2) return i;
    return badPaddingAt(bytes, i, filled);
  }
  return bytes.length - filled;
}

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
  while (bytes[i] === 0x0a || bytes[i] === 0x0d) i++;
  return i;
}

function isBase64Byte(byte: number): boolean {
  return (
    (byte >= 0x41 && byte <= 0x5a) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2b ||
    byte === 0x2f
  );
}
