// The organizations in the subject of a certificate request (PKCS #10), read from its DER without trust in its lengths.

const SEQUENCE = 0x30;
const SET = 0x31;
const OBJECT_IDENTIFIER = 0x06;
/** 2.5.4.10 */
const ORGANIZATION = Buffer.from([0x55, 0x04, 0x0a]);
/** BMPString, whose characters have two bytes. */
const TWO_BYTE_TEXT = 0x1e;

/** `request` is base64 of PEM, as objects carry it. Undefined when it cannot be read. */
export function subjectOrganizations(request: string): string[] | undefined {
  const pem = Buffer.from(request, "base64").toString("latin1");
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return undefined;
  try {
    return organizations(Buffer.from(body, "base64"));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function organizations(der: Buffer): string[] {
  const [outer] = children(der);
  const [info] = children(expect(outer, SEQUENCE));
  const [, subject] = children(expect(info, SEQUENCE));
  const found: string[] = [];
  for (const set of children(expect(subject, SEQUENCE))) {
    for (const attribute of children(expect(set, SET))) {
      const [type, value] = children(expect(attribute, SEQUENCE));
      if (value === undefined || !expect(type, OBJECT_IDENTIFIER).equals(ORGANIZATION)) continue;
      found.push(textOf(value));
    }
  }
  return found;
}

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

function textOf({ tag, content }: Element): string {
  if (tag !== TWO_BYTE_TEXT) return content.toString("utf8");
  return Buffer.from(content.subarray(0, content.length & ~1))
    .swap16()
    .toString("utf16le");
}

function expect(element: Element | undefined, tag: number): Buffer {
  if (element?.tag !== tag) throw new RangeError("another element was expected");
  return element.content;
}

function children(content: Buffer): Element[] {
  const found: Element[] = [];
  let at = 0;
  while (at < content.length) {
    const tag = content.readUInt8(at);
    let length = content.readUInt8(at + 1);
    at += 2;
    if (length >= 0x80) {
      const bytes = length & 0x7f;
      // Four bytes of length are more than any body that reaches us has.
      if (bytes === 0 || bytes > 4) throw new RangeError("unusual length");
      length = content.readUIntBE(at, bytes);
      at += bytes;
    }
    if (at + length > content.length) throw new RangeError("cut short");
    found.push({ tag, content: content.subarray(at, at + length) });
    at += length;
  }
  return found;
}
