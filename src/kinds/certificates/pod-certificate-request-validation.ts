// What a PodCertificateRequest must look like: for which pod, and a key that the one who asks can use.

import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import { isCostlyKey } from "../../base/costly-key.ts";
import { type FieldError, invalid, OMIT, tooLong } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { checkSignerName } from "../core/signer-name-validation.ts";
import type { HookContext } from "../define-kind.ts";
import {
  type PodCertificateRequest,
  type PodCertificateRequestSpec,
  podCertificateRequestSpec,
} from "./pod-certificate-request-schema.ts";

const MAX_KEY_BYTES = 10 * 1024;
const MAX_PROOF_BYTES = 10 * 1024;
const LEAST_SECONDS = 60 * 60;
const MOST_SECONDS = 91 * 24 * 60 * 60;
const MOST_SECONDS_OF_OWN_SIGNERS = 24 * 60 * 60;

export function validatePodCertificateRequest({ spec }: PodCertificateRequest, { names }: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  checkSignerName(errors, "spec.signerName", spec.signerName);
  checkFields(spec, podCertificateRequestSpec, "spec", errors);
  checkSeconds(errors, spec, names);
  const problem = keyProblem(spec);
  if (problem !== undefined) errors.push(problem);
  return errors;
}

/** Only the metadata of a request can change. */
export function validatePodCertificateRequestUpdate(
  request: PodCertificateRequest,
  old: PodCertificateRequest,
): FieldError[] {
  const errors: FieldError[] = [];
  checkImmutable(request.spec, old.spec, "spec", errors);
  return errors;
}

/** A key as it stands in requests; undefined when it cannot be read. */
export function readPublicKey(encoded: string | null): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: Buffer.from(encoded ?? "", "base64"), format: "der", type: "spki" });
    const { namedCurve } = key.asymmetricKeyDetails ?? {};
    return namedCurve === undefined || CURVE_NAMES.has(namedCurve) ? key : undefined;
  } catch {
    return undefined;
  }
}

export const KEY_FIELD = "spec.pkixPublicKey";
export const UNREADABLE_KEY = "must be a valid PKIX-serialized public key";

function checkSeconds(
  errors: FieldError[],
  { signerName, maxExpirationSeconds: seconds = 0 }: PodCertificateRequestSpec,
  names: Names,
): void {
  const isOwn = isOwnSigner(signerName, names);
  const most = isOwn ? MOST_SECONDS_OF_OWN_SIGNERS : MOST_SECONDS;
  if (seconds >= LEAST_SECONDS && seconds <= most) return;
  errors.push(invalid("spec.maxExpirationSeconds", seconds, `must be in the range [${LEAST_SECONDS}, ${most}]`));
}

/** Whether the signer is one that the project defines. */
function isOwnSigner(signer: string, { certificateSignerDomain }: Names): boolean {
  const host = signer.split("/", 1)[0]!;
  return host === certificateSignerDomain || host.endsWith(`.${certificateSignerDomain}`);
}

/** The curves that upstream can read, by their names here and there. */
const CURVE_NAMES: ReadonlyMap<string, string> = new Map([
  ["secp224r1", "P-224"],
  ["prime256v1", "P-256"],
  ["secp384r1", "P-384"],
  ["secp521r1", "P-521"],
]);
const MODULUS_BITS = [3072, 4096];

function keyProblem({ pkixPublicKey, proofOfPossession, podUID }: PodCertificateRequestSpec): FieldError | undefined {
  if (byteLength(pkixPublicKey) > MAX_KEY_BYTES) return tooLong(KEY_FIELD, MAX_KEY_BYTES);
  if (byteLength(proofOfPossession) > MAX_PROOF_BYTES) return tooLong("spec.proofOfPossession", MAX_PROOF_BYTES);
  const key = readPublicKey(pkixPublicKey);
  if (key === undefined) return invalid(KEY_FIELD, pkixPublicKey, UNREADABLE_KEY);
  const { namedCurve = "", modulusLength = 0 } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === "ec" && namedCurve === "secp224r1") {
    return invalid(
      KEY_FIELD,
      `curve ${CURVE_NAMES.get(namedCurve)}`,
      "elliptic public keys must use curve P256 or P384",
    );
  }
  if (key.asymmetricKeyType === "rsa" && !MODULUS_BITS.includes(modulusLength)) {
    return invalid(KEY_FIELD, `${modulusLength}-bit modulus`, "RSA keys must have modulus size 3072 or 4096");
  }
  if (!["ed25519", "ec", "rsa"].includes(key.asymmetricKeyType ?? "")) {
    const detail = "unknown public key type; supported types are Ed25519, ECDSA, and RSA";
    return invalid(KEY_FIELD, pkixPublicKey, detail);
  }
  if (isProof(key, podUID, Buffer.from(proofOfPossession ?? "", "base64"))) return undefined;
  return invalid("spec.proofOfPossession", OMIT, "could not verify proof-of-possession signature");
}

/** Who has the key has signed the uid of the pod with it. */
function isProof(key: KeyObject, podUid: string, signature: Uint8Array): boolean {
  if (isCostlyKey(key)) return false;
  const signed = Buffer.from(podUid);
  try {
    if (key.asymmetricKeyType === "ed25519") return verify(null, signed, key, signature);
    const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
    return verify("sha256", signed, key.asymmetricKeyType === "rsa" ? { key, ...padding } : key, signature);
  } catch {
    return false;
  }
}

const byteLength = (encoded: string | null): number => Buffer.byteLength(encoded ?? "", "base64");
