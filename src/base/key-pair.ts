// Whether a certificate and a private key, both as PEM texts, belong together. In upstream's words.

import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** Undefined when they do. */
export function keyPairProblem(certificate: string, key: string): string | undefined {
  const certificates = pemBlocks(certificate);
  const leaf = certificates.find(({ type }) => type === "CERTIFICATE");
  if (leaf === undefined) return missingCertificate(certificates.map(({ type }) => type));
  const keys = pemBlocks(key);
  const own = keys.find(({ type }) => type.endsWith("PRIVATE KEY"));
  if (own === undefined) return missingKey(keys.map(({ type }) => type));

  const parsed = parseCertificate(leaf.text);
  if (parsed === undefined) return "x509: malformed certificate";
  const privateKey = parseKey(own.text);
  if (privateKey === undefined) return "tls: failed to parse private key";
  if (parsed.publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    return "tls: private key type does not match public key type";
  }
  return parsed.checkPrivateKey(privateKey) ? undefined : "tls: private key does not match public key";
}

export interface PemBlock {
  readonly type: string;
  readonly text: string;
}

export function pemBlocks(text: string): PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const part of text.split("-----BEGIN ").slice(1)) {
    const type = part.slice(0, Math.max(0, part.indexOf("-----")));
    const end = part.indexOf(`-----END ${type}-----`);
    if (type === "" || end < 0) continue;
    blocks.push({ type, text: `-----BEGIN ${part.slice(0, end)}-----END ${type}-----\n` });
  }
  return blocks;
}

function missingCertificate(types: readonly string[]): string {
  if (types.length === 0) return "tls: failed to find any PEM data in certificate input";
  if (types.length === 1 && types[0]!.endsWith("PRIVATE KEY")) {
    return "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function missingKey(types: readonly string[]): string {
  if (types.length === 0) return "tls: failed to find any PEM data in key input";
  if (types.length === 1 && types[0] === "CERTIFICATE") {
    return "tls: found a certificate rather than a key in the PEM for the private key";
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function parseCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function parseKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
