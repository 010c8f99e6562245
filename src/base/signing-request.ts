// A request for a certificate (PKCS #10, RFC 2986), taken apart: whose key it is for, and which names are wanted.

import { createPublicKey, verify } from "node:crypto";
import { isIP } from "node:net";
import { findExtension, type NameAttribute, nameAttributes } from "./certificate-subject.ts";
import { isCostlyKey } from "./costly-key.ts";
import { contextOf, DerError, type DerValue, readAll, readOid, readSequence, TAG } from "./der-reader.ts";
import { firstPemBlock } from "./first-pem-block.ts";
import type { AlternativeNames } from "./sign-certificate.ts";

export interface SigningRequest extends Required<AlternativeNames> {
  readonly subject: readonly NameAttribute[];
  /** The key that the certificate is for, encoded with its algorithm (SPKI). */
  readonly publicKeyInfo: Uint8Array;
  /** Whether the one who asks holds the key. */
  isSignedByItsKey(): boolean;
}

/** Above, no server and no client would take the certificate, and each attempt to make it holds everybody up. */
const MAX_REQUEST_BYTES = 64 * 1024;

/** The first block of a PEM text. Fails with DerError on anything that is no request, or too long for one. */
export function requestBytes(pem: string): Uint8Array {
  const block = firstPemBlock(pem);
  if (block?.type !== "CERTIFICATE REQUEST") throw new DerError("a certificate request is expected");
  if (block.bytes.length > MAX_REQUEST_BYTES) throw new DerError(`it is longer than ${MAX_REQUEST_BYTES} bytes`);
  return block.bytes;
}

/** Fails with DerError as requestBytes() does, and for names that cannot be signed. */
export function readSigningRequest(pem: string): SigningRequest {
  const [signed, algorithm, signature] = readSequence(requestBytes(pem));
  if (signed === undefined || algorithm === undefined || signature?.tag !== TAG.bitString)
    throw new DerError("a certificate request is expected");
  const [, subject, publicKeyInfo, ...attributes] = readSequence(signed.whole);
  if (subject === undefined || publicKeyInfo === undefined) throw new DerError("a certificate request is expected");
  return {
    subject: nameAttributes(subject.whole).map(printable),
    publicKeyInfo: publicKeyInfo.whole,
    ...readNames(wantedExtensions(attributes)),
    isSignedByItsKey: () => isSigned(signed.whole, algorithm, signature, publicKeyInfo.whole),
  };
}

/** A name that ends for some readers where a character of control stands would be somebody else's to them. */
function printable(attribute: NameAttribute): NameAttribute {
  if (/\p{Cc}/u.test(attribute.value)) throw new DerError("a name has characters that are not allowed");
  return attribute;
}

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const ALTERNATIVE_NAME = "2.5.29.17";

/** The encoded sequence of extensions; undefined when none are asked for. */
function wantedExtensions(fields: readonly DerValue[]): Uint8Array | undefined {
  const attributes = fields.find(({ tag }) => tag === contextOf(0));
  for (const { whole } of attributes === undefined ? [] : readAll(attributes.content)) {
    const [type, values] = readSequence(whole);
    if (type === undefined || values?.tag !== TAG.set) throw new DerError("an attribute is expected");
    if (readOid(type) === EXTENSION_REQUEST) return readAll(values.content)[0]?.whole;
  }
  return undefined;
}

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

/** Names of other kinds are left out, as nobody signs them. */
function readNames(extensions: Uint8Array | undefined): Required<AlternativeNames> {
  const found = extensions === undefined ? undefined : findExtension(extensions, ALTERNATIVE_NAME);
  const names = found === undefined ? [] : readSequence(found);
  const texts = (wanted: number) => names.filter(({ tag }) => tag === wanted).map(readAscii);
  return {
    dnsNames: texts(DNS),
    emailAddresses: texts(EMAIL),
    uris: texts(URI),
    ipAddresses: names.filter(({ tag }) => tag === IP).map(readAddress),
  };
}

function readAscii({ content }: DerValue): string {
  const text = Buffer.from(content).toString("latin1");
  if (!/^[\x20-\x7e]+$/.test(text)) throw new DerError("a name has characters that are not allowed");
  return text;
}

function readAddress({ content }: DerValue): string {
  const text =
    content.length === 4
      ? content.join(".")
      : Buffer.from(content)
          .toString("hex")
          .replace(/.{4}(?=.)/g, "$&:");
  if (isIP(text) === 0) throw new DerError("an IP address has a wrong length");
  return text;
}

/** What each signature algorithm digests with; null where the key says it. */
const DIGESTS: ReadonlyMap<string, string | null> = new Map([
  ["1.2.840.113549.1.1.11", "sha256"],
  ["1.2.840.113549.1.1.12", "sha384"],
  ["1.2.840.113549.1.1.13", "sha512"],
  ["1.2.840.10045.4.3.2", "sha256"],
  ["1.2.840.10045.4.3.3", "sha384"],
  ["1.2.840.10045.4.3.4", "sha512"],
  ["1.3.101.112", null],
]);

function isSigned(signed: Uint8Array, algorithm: DerValue, signature: DerValue, publicKeyInfo: Uint8Array): boolean {
  const [type] = readSequence(algorithm.whole);
  const digest = type === undefined ? undefined : DIGESTS.get(readOid(type));
  // The first byte of a bit string counts the bits that do not: signatures are whole bytes.
  if (digest === undefined || signature.content[0] !== 0) return false;
  try {
    const key = createPublicKey({ key: Buffer.from(publicKeyInfo), type: "spki", format: "der" });
    return !isCostlyKey(key) && verify(digest, signed, key, signature.content.subarray(1));
  } catch {
    // A key of a kind that nobody can check has signed nothing.
    return false;
  }
}
