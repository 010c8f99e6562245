// Signatures of JWTs (RFC 7518): the nine asymmetric algorithms, verified and made with node's own crypto.

import { constants, type KeyObject, sign, verify } from "node:crypto";
import { isCostlyKey } from "./costly-key.ts";

export const SIGNING_ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
] as const;

const CURVE_OF: Readonly<Record<string, string>> = { ES256: "prime256v1", ES384: "secp384r1", ES512: "secp521r1" };

/** Below, a signature protects nothing. */
const MIN_RSA_BITS = 1024;

/** As much of a token as its signature is about. */
interface SignedText {
  readonly algorithm: string;
  readonly signedText: string;
  readonly signature: Uint8Array;
}

/** Whether this key signed the token, with an algorithm that is meant for keys of its type. */
export function isSignedBy({ algorithm, signedText, signature }: SignedText, key: KeyObject): boolean {
  if (!fits(algorithm, key)) return false;
  try {
    return verify(hashOf(algorithm), Buffer.from(signedText), withParameters(algorithm, key), signature);
  } catch {
    return false;
  }
}

/** The signature over a text, made outside the event loop. */
export function signText(text: string, algorithm: string, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign(hashOf(algorithm), Buffer.from(text), withParameters(algorithm, key), (error, signature) =>
      error === null ? resolve(signature) : reject(error),
    );
  });
}

/** The algorithm that a key signs with; undefined for keys that cannot sign tokens. */
export function algorithmOf(key: KeyObject): string | undefined {
  if (key.asymmetricKeyType === "rsa") return "RS256";
  const curve = key.asymmetricKeyDetails?.namedCurve;
  return Object.keys(CURVE_OF).find((algorithm) => CURVE_OF[algorithm] === curve);
}

export function isUsableKey(key: KeyObject): boolean {
  if (algorithmOf(key) === undefined || isCostlyKey(key)) return false;
  const bits = key.asymmetricKeyDetails?.modulusLength;
  return bits === undefined || bits >= MIN_RSA_BITS;
}

function fits(algorithm: string, key: KeyObject): boolean {
  if (!(SIGNING_ALGORITHMS as readonly string[]).includes(algorithm)) return false;
  if (algorithm.startsWith("ES")) return key.asymmetricKeyDetails?.namedCurve === CURVE_OF[algorithm];
  return key.asymmetricKeyType === "rsa";
}

const hashOf = (algorithm: string): string => `sha${algorithm.slice(2)}`;

function withParameters(algorithm: string, key: KeyObject) {
  if (algorithm.startsWith("ES")) return { key, dsaEncoding: "ieee-p1363" as const };
  if (algorithm.startsWith("PS")) {
    return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
  }
  return { key };
}
