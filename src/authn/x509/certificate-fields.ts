// What decides about a chain of certificates (RFC 5280, section 4), read from the DER of one of them.

import { type CertificateExtensions, NO_EXTENSIONS, readExtensions } from "./certificate-extensions.ts";
import {
  contextOf,
  DerError,
  type DerValue,
  readAll,
  readCount,
  readOid,
  readSequence,
  readTime,
  TAG,
} from "./der-reader.ts";

export interface CertificateFields extends CertificateExtensions {
  /** 1 to 3. */
  readonly version: number;
  /** Distinguished names as they are encoded: issuer and subject must agree byte for byte. */
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly validFromMs: number;
  readonly validUntilMs: number;
  /** It is signed with an algorithm that still proves something. */
  readonly isSignedWell: boolean;
}

/** Fails with DerError. */
export function readCertificate(der: Uint8Array): CertificateFields {
  const [signed, outerAlgorithm, signature, ...more] = readSequence(der);
  if (signed === undefined || outerAlgorithm === undefined || signature?.tag !== TAG.bitString || more.length > 0)
    throw new DerError("a certificate is expected");
  const values = readSequence(signed.whole);
  const versionField = values[0]?.tag === contextOf(0) ? values.shift() : undefined;
  const version = versionField === undefined ? 1 : readVersion(versionField);
  const [serial, algorithm, issuer, validity, subject, publicKey, ...rest] = values;
  if (serial === undefined || algorithm === undefined || issuer === undefined || validity === undefined)
    throw new DerError("a certificate is expected");
  if (subject === undefined || publicKey === undefined) throw new DerError("a certificate is expected");
  if (serial.tag !== TAG.integer || (serial.content[0] ?? 0x80) >= 0x80)
    throw new DerError("the serial number is negative");
  if (!Buffer.from(algorithm.whole).equals(outerAlgorithm.whole))
    throw new DerError("the algorithm of the signature stands there twice, in two ways");
  for (const part of [issuer, subject, publicKey]) readSequence(part.whole);
  const [from, until, ...otherTimes] = readSequence(validity.whole);
  if (from === undefined || until === undefined || otherTimes.length > 0) throw new DerError("two times are expected");
  return {
    version,
    issuer: issuer.whole,
    subject: subject.whole,
    publicKey: publicKey.whole,
    validFromMs: readTime(from),
    validUntilMs: readTime(until),
    isSignedWell: isGoodAlgorithm(algorithm),
    ...extensionsOf(version, rest),
  };
}

function readVersion({ content }: DerValue): number {
  const [number, ...rest] = readAll(content);
  const version = number === undefined || rest.length > 0 ? 0 : readCount(number) + 1;
  if (version < 1 || version > 3) throw new DerError("the version is not known");
  return version;
}

/** `rest`: what comes after the key: unique ids of version 2, extensions of version 3. */
function extensionsOf(version: number, rest: readonly DerValue[]): CertificateExtensions {
  const field = rest.find(({ tag }) => tag === contextOf(3));
  if (field === undefined) return NO_EXTENSIONS;
  if (version !== 3 || rest.at(-1) !== field) throw new DerError("extensions are not expected here");
  return readExtensions(readSequence(field.content));
}

const RSA_PSS = "1.2.840.113549.1.1.10";
const GOOD_HASHES: ReadonlySet<string> = new Set([1, 2, 3].map((kind) => `2.16.840.1.101.3.4.2.${kind}`));
/** SHA-256 and larger with RSA and ECDSA, and Ed25519. Others can be forged, or nobody uses them. */
const GOOD_ALGORITHMS: ReadonlySet<string> = new Set([
  ...[11, 12, 13].map((kind) => `1.2.840.113549.1.1.${kind}`),
  ...[2, 3, 4].map((kind) => `1.2.840.10045.4.3.${kind}`),
  "1.3.101.112",
]);

function isGoodAlgorithm({ whole }: DerValue): boolean {
  const [type, parameters] = readSequence(whole);
  if (type === undefined) throw new DerError("an algorithm is expected");
  const name = readOid(type);
  if (name !== RSA_PSS) return GOOD_ALGORITHMS.has(name);
  // Without a hash of its own it is SHA-1.
  const hash = parameters && readSequence(parameters.whole).find(({ tag }) => tag === contextOf(0));
  const hashType = hash && readSequence(hash.content)[0];
  return hashType !== undefined && GOOD_HASHES.has(readOid(hashType));
}
