// The common name in the subject of a certificate request (PKCS #10), read from its DER without trust in its lengths.

const SEQUENCE = 0x30;
const SET = 0x31;
/** 2.5.4.3 */
const COMMON_NAME = Buffer.from([0x55, 0x04, 0x03]);

interface Element {
  readonly tag: number;
  readonly content: Buffer;
}

/** `request` is base64 of PEM, as objects carry it. Empty when there is none, undefined when it cannot be read. */
export function commonName(request: string): string | undefined {
  const pem = Buffer.from(request, "base64").toString("latin1");
  const body = /-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]*)-----END/.exec(pem)?.[1];
  if (body === undefined) return undefined;
  const [outer] = elements(Buffer.from(body, "base64"));
  const [info] = elements(inside(outer, SEQUENCE));
  const [, subject] = elements(inside(info, SEQUENCE));
  if (subject === undefined || subject.tag !== SEQUENCE) return undefined;
  for (const set of elements(subject.content)) {
    for (const attribute of elements(inside(set, SET))) {
      const [type, value] = elements(inside(attribute, SEQUENCE));
      if (type?.content.equals(COMMON_NAME) && value !== undefined) return value.content.toString("utf8");
    }
  }
  return "";
}

const inside = (element: Element | undefined, tag: number): Buffer =>
  element?.tag === tag ? element.content : Buffer.alloc(0);

/** The elements that stand one after the other; what is cut off is left out. */
function elements(bytes: Buffer): Element[] {
  const found: Element[] = [];
  let at = 0;
  while (at + 2 <= bytes.length) {
    const tag = bytes[at]!;
    let length = bytes[at + 1]!;
    at += 2;
    if (length >= 0x80) {
      const size = length & 0x7f;
      if (size > 4 || at + size > bytes.length) return found;
      length = size === 0 ? 0 : bytes.readUIntBE(at, size);
      at += size;
    }
    if (at + length > bytes.length) return found;
    found.push({ tag, content: bytes.subarray(at, at + length) });
    at += length;
  }
  return found;
}
