// Who a certificate (RFC 5280) or a request for one (PKCS #10) is for, read from the DER: values exactly as they were
// signed. Node tells neither every attribute nor anything about requests.

import { contextOf, DerError, type DerValue, readAll, readOid, readSequence, TAG } from "./der-reader.ts";

/** Upstream's attribute for the uid of a user. */
const UID = "1.3.6.1.4.1.57683.2";
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";

export interface CertificateSubject {
  /** In order. Whoever takes one of several decides against others who take another one. */
  readonly commonNames: readonly string[];
  readonly organizations: readonly string[];
  readonly uids: readonly string[];
}

/** Fails with DerError. */
export function certificateSubject(der: Uint8Array): CertificateSubject {
  return readSubject(encodedSubject(der));
}

/** The subject of a certificate as it is encoded: issuers and subjects must agree byte for byte. Fails with DerError. */
export function encodedSubject(certificate: Uint8Array): Uint8Array {
  const fields = certificateFields(certificate);
  // Version, serial number, algorithm, issuer, validity, subject; the version is left out in version 1.
  const subject = fields[fields[0]?.tag === contextOf(0) ? 5 : 4];
  if (subject === undefined) throw new DerError("a certificate is expected");
  return subject.whole;
}

/** The value of an extension of a certificate, still encoded. Fails with DerError. */
export function encodedExtension(certificate: Uint8Array, type: string): Uint8Array | undefined {
  const list = certificateFields(certificate).find(({ tag }) => tag === contextOf(3));
  return list === undefined ? undefined : findExtension(list.content, type);
}

/** `extensions`: the encoded sequence of them. Fails with DerError. */
export function findExtension(extensions: Uint8Array, type: string): Uint8Array | undefined {
  for (const { whole } of readSequence(extensions)) {
    const members = readSequence(whole);
    const value = members.at(-1);
    // Whether it is critical may stand between the two.
    if (members[0] === undefined || value?.tag !== OCTET_STRING) throw new DerError("an extension is expected");
    if (readOid(members[0]) === type) return value.content;
  }
  return undefined;
}

const OCTET_STRING = 0x04;

function certificateFields(certificate: Uint8Array): DerValue[] {
  const [body] = readSequence(certificate);
  return body === undefined ? [] : readSequence(body.whole);
}

/** Fails with DerError. */
export function requestSubject(der: Uint8Array): CertificateSubject {
  const [body] = readSequence(der);
  const [, subject] = body === undefined ? [] : readSequence(body.whole);
  if (subject === undefined) throw new DerError("a certificate request is expected");
  return readSubject(subject.whole);
}

/** `name`: the encoded distinguished name. */
function readSubject(name: Uint8Array): CertificateSubject {
  const attributes = nameAttributes(name);
  const values = (type: string) => attributes.filter((attribute) => attribute.type === type).map(({ value }) => value);
  return {
    commonNames: values(COMMON_NAME),
    organizations: values(ORGANIZATION),
    uids: values(UID),
  };
}

export interface NameAttribute {
  /** Its object identifier. */
  readonly type: string;
  readonly value: string;
}

/** The attributes of an encoded distinguished name, in order. Fails with DerError. */
export function nameAttributes(name: Uint8Array): NameAttribute[] {
  return readSequence(name).flatMap(({ tag, content }) => {
    if (tag !== TAG.set) throw new DerError("a set of attributes is expected");
    return readAll(content).map(readAttribute);
  });
}

function readAttribute({ whole }: DerValue): NameAttribute {
  const [type, value, ...rest] = readSequence(whole);
  if (type === undefined || value === undefined || rest.length > 0)
    throw new DerError("an attribute with one value is expected");
  return { type: readOid(type), value: readText(value) };
}

const UTF8_STRING = 0x0c;
const NUMERIC_STRING = 0x12;
const PRINTABLE_STRING = 0x13;
const T61_STRING = 0x14;
const IA5_STRING = 0x16;
const BMP_STRING = 0x1e;

/** What the strings of each type may hold. */
const CHARACTERS: ReadonlyMap<number, RegExp> = new Map([
  [NUMERIC_STRING, /^[0-9 ]*$/],
  [PRINTABLE_STRING, /^[A-Za-z0-9 '()+,\-./:=?*&]*$/],
  [IA5_STRING, /^[\x00-\x7f]*$/],
]);

function readText({ tag, content }: DerValue): string {
  if (tag === BMP_STRING) return readBmp(content);
  const characters = CHARACTERS.get(tag);
  if (characters === undefined && tag !== UTF8_STRING && tag !== T61_STRING)
    throw new DerError("an attribute has a value of an unknown type");
  let text: string;
  try {
    // Bytes that are no text must not become the name of somebody else.
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new DerError("an attribute has a value that is no text");
  }
  if (characters !== undefined && !characters.test(text))
    throw new DerError("an attribute has characters that its type does not allow");
  return text;
}

function readBmp(content: Uint8Array): string {
  if (content.length % 2 !== 0) throw new DerError("an attribute has a value that is no text");
  const text = Buffer.from(content).swap16().toString("utf16le");
  // Half a character would become another one when it is written again.
  if (/\p{Cs}/u.test(text)) throw new DerError("an attribute has a value that is no text");
  return text.endsWith("\0") ? text.slice(0, -1) : text;
}
