// Keys of service account tokens: PEM files of RSA and ECDSA keys, private or public, and their identifiers.
// Requirements: document 2, "Methods".

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { algorithmOf, isUsableKey } from "./jwt-signature.ts";

export interface VerificationKey {
  readonly id: string;
  readonly key: KeyObject;
  readonly algorithm: string;
}

export interface SigningKey extends VerificationKey {
  /** The private half; `key` is the public one. */
  readonly privateKey: KeyObject;
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

/** Every key of a PEM text: public ones, the public halves of private ones, those of certificates. Fails without any. */
export function parseVerificationKeys(pem: string): VerificationKey[] {
  const keys = [...pem.matchAll(BLOCK)].flatMap(([block, label = ""]) => {
    if (label === "EC PARAMETERS") return [];
    if (label === "CERTIFICATE") return [new X509Certificate(block).publicKey];
    return [createPublicKey(block)];
  });
  if (keys.length === 0) throw new Error("there is no PEM block with an RSA or ECDSA key in it");
  return keys.map(verificationKey);
}

/** The private key of a PEM text. Fails when it cannot sign tokens. */
export function parseSigningKey(pem: string): SigningKey {
  const block = [...pem.matchAll(BLOCK)].find(([, label = ""]) => label.endsWith("PRIVATE KEY"))?.[0];
  if (block === undefined) throw new Error("there is no PEM block with a private key in it");
  const privateKey = createPrivateKey(block);
  return { ...verificationKey(createPublicKey(privateKey)), privateKey };
}

/**
 * A key that lives as long as this process. It is read back from its text: the objects that Node hands out share a
 * lock with the job that made them, and when that job is collected in the middle of an export as JWK, which holds
 * the lock, the process waits for itself for ever (Node 20).
 */
export function temporarySigningKey(): SigningKey {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
  return parseSigningKey(privateKey);
}

/** The first of each key. */
export function distinctKeys(keys: readonly VerificationKey[]): VerificationKey[] {
  const byId = new Map<string, VerificationKey>();
  for (const key of keys) if (!byId.has(key.id)) byId.set(key.id, key);
  return [...byId.values()];
}

function verificationKey(key: KeyObject): VerificationKey {
  const algorithm = algorithmOf(key);
  if (algorithm === undefined || !isUsableKey(key)) {
    throw new Error(
      `a key of type ${key.asymmetricKeyType ?? "unknown"} cannot sign tokens: RSA or ECDSA on P-256, P-384 or P-521 is needed`,
    );
  }
  const id = createHash("sha256")
    .update(key.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { id, key, algorithm };
}
