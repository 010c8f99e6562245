// Issues X.509 certificates (RFC 5280) with keys on the curve P-256: authorities, serving and client certificates.

import { generateKeyPair } from "node:crypto";
import { isIPv4 } from "node:net";
import { promisify } from "node:util";
import {
  type Authority,
  alternativeNames,
  basicConstraints,
  encodeName,
  extendedKeyUsage,
  keyUsage,
  NAME_OID,
  publicKeyInfoOf,
  signCertificate,
} from "../../base/sign-certificate.ts";

interface Subject {
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

/** A new key and a certificate for it, signed by the authority; by itself when there is none. */
export async function issueCertificate(request: CertificateRequest, issuer?: Authority): Promise<KeyedCertificate> {
  const { publicKey, privateKey } = await newKeyPair("ec", { namedCurve: "P-256" });
  const { subject, notBeforeMs, notAfterMs } = request;
  const body = {
    subject: encodeName([
      ...(subject.organizations ?? []).map((value) => [NAME_OID.organization, value] as const),
      [NAME_OID.commonName, subject.commonName],
    ]),
    publicKeyInfo: publicKeyInfoOf(publicKey),
    notBeforeMs,
    notAfterMs,
    extensions: extensions(request),
  };
  return {
    certificatePem: await signCertificate(body, issuer ?? privateKey),
    keyPem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

const newKeyPair = promisify(generateKeyPair);

const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

function extensions({ use, names = [] }: CertificateRequest): Buffer[] {
  const isAuthority = use === "authority";
  const list = [
    basicConstraints(isAuthority),
    keyUsage(new Set(isAuthority ? ["digitalSignature", "keyCertSign", "cRLSign"] : ["digitalSignature"])),
  ];
  if (!isAuthority) list.push(extendedKeyUsage([use === "server" ? SERVER_AUTH : CLIENT_AUTH]));
  const alternatives = alternativeNames({
    dnsNames: names.filter((name) => !isAddress(name)),
    ipAddresses: names.filter(isAddress),
  });
  if (alternatives !== undefined) list.push(alternatives);
  return list;
}

/** Names have no colon. Node is not asked about IPv6: to compile its pattern takes milliseconds of every start. */
export function isAddress(name: string): boolean {
  return name.includes(":") || isIPv4(name);
}
