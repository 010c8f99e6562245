// Signs X.509 certificates (RFC 5280): the frame that all of them share, and the extensions that they have.

import { createHash, createPublicKey, type KeyObject, randomBytes, sign, type X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { encodedExtension, encodedSubject } from "./certificate-subject.ts";
import { readFirst } from "./der-reader.ts";
import {
  bits,
  boolean,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  sequenceOf,
  set,
  time,
  unsigned,
  utf8,
} from "./der-writer.ts";

export interface Authority {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

interface CertificateBody {
  /** Encoded, see encodeName(). */
  readonly subject: Uint8Array;
  /** The key that the certificate is for, encoded with its algorithm (SPKI). */
  readonly publicKeyInfo: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Beside the identifiers of the keys, which every certificate gets. */
  readonly extensions: readonly Uint8Array[];
}

/** In PEM. `issuer` is an authority, or the subject's own key. Fails when the key of the issuer cannot sign. */
export async function signCertificate(body: CertificateBody, issuer: Authority | KeyObject): Promise<string> {
  const authority = "certificate" in issuer ? issuer : undefined;
  const signingKey = authority?.key ?? (issuer as KeyObject);
  const algorithm = signatureAlgorithm(signingKey);
  const ownKeyId = keyIdentifier(body.publicKeyInfo);
  const issuerKeyId = authority === undefined ? ownKeyId : subjectKeyId(authority.certificate);
  const extensions = [
    ...body.extensions,
    ordinary(OID.subjectKeyId, octets(ownKeyId)),
    ...(issuerKeyId === undefined ? [] : [ordinary(OID.authorityKeyId, sequence(implicit(0, issuerKeyId)))]),
  ];
  const toBeSigned = sequence(
    explicit(0, integer(VERSION_3)),
    unsigned(serialNumber()),
    algorithm,
    authority === undefined ? body.subject : encodedSubject(authority.certificate.raw),
    sequence(time(body.notBeforeMs), time(body.notAfterMs)),
    body.subject,
    body.publicKeyInfo,
    explicit(3, sequenceOf(extensions)),
  );
  const signature = await signBytes("sha256", toBeSigned, signingKey);
  return pem("CERTIFICATE", sequence(toBeSigned, algorithm, bits(signature)));
}

/** Attributes of a distinguished name, by their object identifiers. */
export const NAME_OID = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  locality: "2.5.4.7",
  province: "2.5.4.8",
  street: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  postalCode: "2.5.4.17",
} as const;

export function encodeName(attributes: Iterable<readonly [type: string, value: string]>): Buffer {
  return sequenceOf(Array.from(attributes, ([type, value]) => set(sequence(oid(type), utf8(value)))));
}

export const basicConstraints = (isAuthority: boolean): Buffer =>
  critical(OID.basicConstraints, isAuthority ? sequence(boolean(true)) : sequence());

/** The bits of RFC 5280, 4.2.1.3, in its order. */
export const KEY_USAGES = [
  "digitalSignature",
  "contentCommitment",
  "keyEncipherment",
  "dataEncipherment",
  "keyAgreement",
  "keyCertSign",
  "cRLSign",
  "encipherOnly",
  "decipherOnly",
] as const;
export type KeyUsage = (typeof KEY_USAGES)[number];

/** At least one usage. */
export function keyUsage(usages: ReadonlySet<KeyUsage>): Buffer {
  const last = KEY_USAGES.findLastIndex((usage) => usages.has(usage));
  const bytes = Buffer.alloc(Math.floor(last / 8) + 1);
  KEY_USAGES.forEach((usage, at) => {
    if (usages.has(usage)) bytes[at >> 3]! |= 0x80 >> (at & 7);
  });
  return critical(OID.keyUsage, bits(bytes, 7 - (last & 7)));
}

/** By object identifiers; at least one. */
export const extendedKeyUsage = (usages: Iterable<string>): Buffer =>
  ordinary(OID.extendedKeyUsage, sequenceOf(Array.from(usages, oid)));

export interface AlternativeNames {
  readonly dnsNames?: readonly string[];
  readonly emailAddresses?: readonly string[];
  /** As text. */
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
}

/** Undefined when there is no name. */
export function alternativeNames(names: AlternativeNames): Buffer | undefined {
  const { dnsNames = [], emailAddresses = [], ipAddresses = [], uris = [] } = names;
  const all = [
    ...dnsNames.map((name) => implicit(2, Buffer.from(name, "latin1"))),
    ...emailAddresses.map((name) => implicit(1, Buffer.from(name, "latin1"))),
    ...ipAddresses.map((address) => implicit(7, ipBytes(address))),
    ...uris.map((uri) => implicit(6, Buffer.from(uri, "latin1"))),
  ];
  return all.length === 0 ? undefined : ordinary(OID.alternativeName, sequenceOf(all));
}

export function pem(label: string, der: Uint8Array): string {
  const lines = Buffer.from(der)
    .toString("base64")
    .replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}

const OID = {
  subjectKeyId: "2.5.29.14",
  keyUsage: "2.5.29.15",
  alternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyId: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
} as const;

const critical = (type: string, value: Uint8Array): Buffer => sequence(oid(type), boolean(true), octets(value));
const ordinary = (type: string, value: Uint8Array): Buffer => sequence(oid(type), octets(value));

const signBytes = promisify(
  sign as (
    algorithm: string,
    data: Uint8Array,
    key: KeyObject,
    done: (error: Error | null, signature: Buffer) => void,
  ) => void,
);

const VERSION_3 = 2;
const SERIAL_BYTES = 16;

function serialNumber(): Buffer {
  const bytes = randomBytes(SERIAL_BYTES);
  // Positive, and without a leading zero byte, whatever the dice say.
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

function signatureAlgorithm(key: KeyObject): Buffer {
  if (key.asymmetricKeyType === "ec") return sequence(oid("1.2.840.10045.4.3.2"));
  if (key.asymmetricKeyType === "rsa") return sequence(oid("1.2.840.113549.1.1.11"), Buffer.from([0x05, 0x00]));
  throw new Error(`the key of the authority is of type ${key.asymmetricKeyType}; RSA and EC keys can sign`);
}

function keyIdentifier(publicKeyInfo: Uint8Array): Buffer {
  return createHash("sha1").update(publicKeyInfo).digest();
}

/** As the authority says it itself: chains are built by comparing the two. */
function subjectKeyId({ raw }: X509Certificate): Uint8Array | undefined {
  const value = encodedExtension(raw, OID.subjectKeyId);
  return value === undefined ? undefined : readFirst(value).content;
}

/** The public half, encoded with its algorithm. */
export function publicKeyInfoOf(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return publicKey.export({ type: "spki", format: "der" });
}

function ipBytes(text: string): Buffer {
  if (isIP(text) === 4) return Buffer.from(text.split(".").map(Number));
  // The URL parser writes the canonical form: eight groups after the gap is filled.
  const canonical = new URL(`http://[${text.split("%")[0]}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const groups = (part: string | undefined) => (part === undefined || part === "" ? [] : part.split(":"));
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array<string>(tail === undefined ? 0 : missing).fill("0"), ...groups(tail)];
  return Buffer.from(all.map((group) => group.padStart(4, "0")).join(""), "hex");
}
