// The first block of a PEM text (RFC 7468), read strictly: a text in which others would find another block has none.

interface PemContent {
  readonly type: string;
  readonly bytes: Buffer;
}

const BEGIN = "-----BEGIN ";
const DASHES = "-----";

/** Undefined when the first block that begins is not well-formed. */
export function firstPemBlock(text: string): PemContent | undefined {
  const begin = text.startsWith(BEGIN) ? 0 : text.indexOf(`\n${BEGIN}`) + 1;
  const head = lineAt(text, begin);
  const type = head.slice(BEGIN.length, -DASHES.length);
  const body = text.indexOf("\n", begin) + 1;
  const last = text.indexOf(`\n${DASHES}`, begin);
  if (head !== `${BEGIN}${type}${DASHES}` || last < 0 || lineAt(text, last + 1) !== `-----END ${type}${DASHES}`)
    return undefined;
  const bytes = strictBase64(withoutHeaders(text.slice(body, last)));
  return bytes === undefined ? undefined : { type, bytes };
}

/** Without blanks at its end. */
function lineAt(text: string, start: number): string {
  const end = text.indexOf("\n", start);
  return withoutBlanks(text.slice(start, end < 0 ? text.length : end));
}

/** No more than these: to others another sign would be a part of the line. */
function withoutBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && BLANKS.has(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

const BLANKS: ReadonlySet<string> = new Set([" ", "\t", "\r", "\n"]);

/** Headers stand on top, each in a line with a colon. */
function withoutHeaders(body: string): string {
  for (let at = 0; ; ) {
    const end = body.indexOf("\n", at);
    const colon = body.indexOf(":", at);
    if (colon < 0 || (end >= 0 && end < colon)) return body.slice(at);
    if (end < 0) return "";
    at = end + 1;
  }
}

/** Node skips characters that are none of base64, and ends at padding: others do not. */
function strictBase64(text: string): Buffer | undefined {
  if (!/^[A-Za-z0-9+/ \t\r\n]*={0,2}$/.test(withoutBlanks(text))) return undefined;
  let digits = 0;
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > SPACE) digits += 1;
  return digits % 4 === 0 ? Buffer.from(text, "base64") : undefined;
}

const SPACE = 0x20;
