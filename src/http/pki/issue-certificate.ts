// Issues X.509 certificates (RFC 5280) with keys on the curve P-256: authorities, serving and client certificates.

import {
  createHash,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  randomBytes,
  sign,
  type X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import { promisify } from "node:util";
import { encodedSubject } from "../../base/certificate-subject.ts";
import {
  bits,
  boolean,
  explicit,
  implicit,
  integer,
  octets,
  oid,
  sequence,
  set,
  time,
  unsigned,
  utf8,
} from "../../base/der-writer.ts";

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly use: "authority" | "server" | "client";
  /** DNS names and IP addresses. */
  readonly names?: readonly string[];
}

/** A certificate and its key, both in PEM. */
export interface KeyedCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface Authority {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

/** A new key and a certificate for it, signed by the authority; by itself when there is none. */
export async function issueCertificate(request: CertificateRequest, issuer?: Authority): Promise<KeyedCertificate> {
  const { publicKey, privateKey } = await newKeyPair("ec", { namedCurve: "P-256" });
  const subject = encodeName(request.subject);
  const publicKeyInfo = publicKey.export({ type: "spki", format: "der" });
  const signingKey = issuer?.key ?? privateKey;
  const algorithm = signatureAlgorithm(signingKey);
  const toBeSigned = sequence(
    explicit(0, integer(VERSION_3)),
    unsigned(serialNumber()),
    algorithm,
    issuer === undefined ? subject : encodedSubject(issuer.certificate.raw),
    sequence(time(request.notBeforeMs), time(request.notAfterMs)),
    subject,
    publicKeyInfo,
    explicit(
      3,
      sequence(
        ...extensions(request, keyIdentifier(publicKey), keyIdentifier(issuer?.certificate.publicKey ?? publicKey)),
      ),
    ),
  );
  const certificate = sequence(toBeSigned, algorithm, bits(sign("sha256", toBeSigned, signingKey)));
  return {
    certificatePem: pem("CERTIFICATE", certificate),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const newKeyPair = promisify(generateKeyPair);

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

function encodeName({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (type: string, value: string) => set(sequence(oid(type), utf8(value)));
  return sequence(
    ...organizations.map((organization) => attribute("2.5.4.10", organization)),
    attribute("2.5.4.3", commonName),
  );
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1").update(createPublicKeyDer(key)).digest();
}

function createPublicKeyDer(key: KeyObject): Buffer {
  const publicKey = key.type === "private" ? createPublicKey(key) : key;
  return publicKey.export({ type: "spki", format: "der" });
}

function extensions(request: CertificateRequest, subjectKeyId: Buffer, issuerKeyId: Buffer): Buffer[] {
  const isAuthority = request.use === "authority";
  const critical = (type: string, value: Buffer) => sequence(oid(type), boolean(true), octets(value));
  const ordinary = (type: string, value: Buffer) => sequence(oid(type), octets(value));
  const list = [
    critical("2.5.29.19", isAuthority ? sequence(boolean(true)) : sequence()),
    // Key usage: digitalSignature is bit 0, keyCertSign bit 5, cRLSign bit 6.
    critical("2.5.29.15", isAuthority ? bits(Buffer.from([0b1000_0110]), 1) : bits(Buffer.from([0b1000_0000]), 7)),
    ordinary("2.5.29.14", octets(subjectKeyId)),
    ordinary("2.5.29.35", sequence(implicit(0, issuerKeyId))),
  ];
  if (request.use === "server") list.push(ordinary("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.1"))));
  if (request.use === "client") list.push(ordinary("2.5.29.37", sequence(oid("1.3.6.1.5.5.7.3.2"))));
  if (request.names !== undefined && request.names.length > 0) {
    list.push(ordinary("2.5.29.17", sequence(...request.names.map(alternativeName))));
  }
  return list;
}

function alternativeName(name: string): Buffer {
  if (isIP(name) === 0) return implicit(2, Buffer.from(name, "latin1"));
  return implicit(7, ipBytes(name));
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

function pem(label: string, der: Buffer): string {
  const lines = der.toString("base64").replace(/.{64}(?=.)/g, "$&\n");
  return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`;
}
