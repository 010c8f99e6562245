// The first block of a PEM text (RFC 7468), read strictly: a text in which others would find another block has none.

interface PemContent {
  readonly type: string;
  readonly bytes: Buffer;
}

const BEGIN = "-----BEGIN ";
const DASHES = "-----";

/** Undefined when the first block that begins is not well-formed. */
export function firstPemBlock(text: string): PemContent | undefined {
  const lines = text.split("\n").map((line) => line.trimEnd());
  const first = lines.findIndex((line) => line.startsWith(BEGIN));
  const last = lines.findIndex((line, at) => at > first && line.startsWith(DASHES));
  const type = lines[first]?.slice(BEGIN.length, -DASHES.length);
  if (type === undefined || lines[first] !== `${BEGIN}${type}${DASHES}` || lines[last] !== `-----END ${type}${DASHES}`)
    return undefined;
  const bytes = strictBase64(withoutHeaders(lines.slice(first + 1, last)).join(""));
  return bytes === undefined ? undefined : { type, bytes };
}

/** Headers stand on top, each with a colon. */
function withoutHeaders(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => !line.includes(":"));
  return first < 0 ? [] : lines.slice(first);
}

/** Node skips characters that are none of base64, and ends at padding: others do not. */
function strictBase64(text: string): Buffer | undefined {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text) ? Buffer.from(text, "base64") : undefined;
}
