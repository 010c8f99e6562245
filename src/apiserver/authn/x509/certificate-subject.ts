// The subject of an X.509 certificate (RFC 5280), read from its DER: values exactly as they were signed.

/** Upstream's attribute for the uid of a user. */
const UID = "1.3.6.1.4.1.57683.2";
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";

export interface CertificateSubject {
  /** The last one counts; empty without one. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
}

/** Fails on bytes that are no certificate. */
export function subjectOf(der: Uint8Array): CertificateSubject {
  const certificate = readElement(der, 0);
  const signed = readElement(der, certificate.start);
  // [0] version, serial number, algorithm, issuer, validity, subject.
  const fields = children(der, signed);
  const subject = fields[fields[0]?.tag === CONTEXT_0 ? 5 : 4];
  if (subject === undefined) throw new RangeError("the certificate has no subject");
  const attributes = children(der, subject).flatMap((set) =>
    children(der, set).map((pair) => readAttribute(der, pair)),
  );
  const values = (type: string) => attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);
  return {
    commonName: values(COMMON_NAME).at(-1) ?? "",
    organizations: values(ORGANIZATION),
    uids: values(UID),
  };
}

interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

const CONTEXT_0 = 0xa0;
const BMP_STRING = 0x1e;
const LATIN_STRINGS: ReadonlySet<number> = new Set([0x13, 0x14, 0x16]);

function readElement(der: Uint8Array, at: number): Element {
  const tag = der[at];
  const first = der[at + 1];
  if (tag === undefined || first === undefined) throw new RangeError("the certificate ends too early");
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  let length = lengthBytes === 0 ? first : 0;
  for (let i = 0; i < lengthBytes; i += 1) length = length * 256 + (der[at + 2 + i] ?? 0);
  const start = at + 2 + lengthBytes;
  if (start + length > der.length) throw new RangeError("the certificate ends too early");
  return { tag, start, end: start + length };
}

function children(der: Uint8Array, parent: Element): Element[] {
  const found: Element[] = [];
  for (let at = parent.start; at < parent.end; ) {
    const child = readElement(der, at);
    found.push(child);
    at = child.end;
  }
  return found;
}

function readAttribute(der: Uint8Array, pair: Element): { type: string; value: string } {
  const [type, value] = children(der, pair);
  if (type === undefined || value === undefined)
    throw new RangeError("the certificate has an attribute without a value");
  return {
    type: readOid(der.subarray(type.start, type.end)),
    value: readText(value.tag, der.subarray(value.start, value.end)),
  };
}

function readText(tag: number, bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes);
  if (tag === BMP_STRING) return buffer.swap16().toString("utf16le");
  return buffer.toString(LATIN_STRINGS.has(tag) ? "latin1" : "utf8");
}

function readOid(bytes: Uint8Array): string {
  const numbers: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(value);
      value = 0;
    }
  }
  const first = numbers[0] ?? 0;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...numbers.slice(1)].join(".");
}
