// What becomes of a PodCertificateRequest: it is issued, denied or failed, once. An issued certificate must be for the key
// that was asked for, and its times must be those of the status.

import { X509Certificate } from "node:crypto";
import { equalJson } from "../../base/json.ts";
import { pemBlocks } from "../../base/key-pair.ts";
import { type FieldError, invalid, notSupported, OMIT, required, tooLong } from "../../meta/field-error.ts";
import type { HookContext } from "../define-kind.ts";
import { validateConditions } from "../meta/condition.ts";
import type { PodCertificateRequest, PodCertificateRequestStatus } from "./pod-certificate-request-schema.ts";
import { KEY_FIELD, readPublicKey, UNREADABLE_KEY } from "./pod-certificate-request-validation.ts";

const OUTCOMES = ["Issued", "Denied", "Failed"];
const MAX_CHAIN_BYTES = 100 * 1024;
const CHAIN = "status.certificateChain";
const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

export function validatePodCertificateStatus(
  request: PodCertificateRequest,
  old: PodCertificateRequest,
  { nowMs }: HookContext,
): FieldError[] {
  const { status } = request;
  const errors = checkConditions(status);
  if (errors.length > 0) return errors;
  const refuse = (detail: string): FieldError[] => [invalid("status", OMIT, detail)];
  const isSame = equalJson(status, old.status);
  if (outcomeOf(old.status) !== undefined) {
    return isSame ? [] : refuse("immutable after PodCertificateRequest is issued, denied, or failed");
  }
  switch (outcomeOf(status)) {
    case "Issued":
      return checkIssued(request, nowMs);
    case undefined:
      return isSame ? [] : refuse('status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
    default:
      if (equalJson(status, { conditions: status.conditions })) return [];
      return refuse("non-condition status fields must be empty when denying or failing the PodCertificateRequest");
  }
}

const outcomeOf = ({ conditions }: PodCertificateRequestStatus): string | undefined =>
  conditions?.find(({ type, status }) => OUTCOMES.includes(type) && status === "True")?.type;

function checkConditions({ conditions = [] }: PodCertificateRequestStatus): FieldError[] {
  const errors: FieldError[] = [];
  let outcomes = 0;
  conditions.forEach(({ type, status }, index) => {
    // Upstream joins the index with a dot here.
    const at = `status.conditions.[${index}]`;
    if (!OUTCOMES.includes(type)) {
      errors.push(notSupported(`${at}.type`, type, OUTCOMES));
      return;
    }
    outcomes += 1;
    if (outcomes > 1) {
      const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
      errors.push(invalid(`${at}.type`, type, detail));
    }
    if (status !== "True") errors.push(notSupported(`${at}.status`, status, ["True"]));
  });
  return [...errors, ...validateConditions(conditions, "status.conditions")];
}

function checkIssued({ spec, status }: PodCertificateRequest, nowMs: number): FieldError[] {
  const { certificateChain: chain = "" } = status;
  if (Buffer.byteLength(chain) > MAX_CHAIN_BYTES) return [tooLong(CHAIN, MAX_CHAIN_BYTES)];
  const refuse = (detail: string): FieldError[] => [invalid(CHAIN, chain, detail)];
  const [first, ...others] = pemBlocks(chain);
  if (first === undefined) return refuse("issued certificate chain must contain at least one certificate");
  const onlyCertificates = "issued certificate chain must consist entirely of CERTIFICATE PEM blocks";
  if (first.type !== "CERTIFICATE") return refuse(onlyCertificates);
  const leaf = readCertificate(first.text);
  if (leaf === undefined) return refuse("leaf certificate does not parse as valid X.509");
  const key = readPublicKey(spec.pkixPublicKey);
  if (key === undefined) return [invalid(KEY_FIELD, spec.pkixPublicKey, UNREADABLE_KEY)];
  if (!leaf.publicKey.equals(key)) return refuse("leaf certificate was not issued to the requested public key");
  const errors = checkTimes(status, leaf, spec.maxExpirationSeconds ?? 0, nowMs);
  if (errors.length > 0) return errors;
  for (const { type, text } of others) {
    if (type !== "CERTIFICATE") return refuse(onlyCertificates.replace("CERTIFICATE", "CERTFICATE"));
    if (readCertificate(text) === undefined) return refuse("intermediate certificate does not parse as valid X.509");
  }
  return [];
}

function readCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

/** The first thing that is wrong with the times. */
function checkTimes(
  { notBefore, notAfter, beginRefreshAt }: PodCertificateRequestStatus,
  leaf: X509Certificate,
  maxSeconds: number,
  nowMs: number,
): FieldError[] {
  const consistent = "must be present and consistent with the issued certificate";
  if (notBefore === undefined || notAfter === undefined || beginRefreshAt === undefined) {
    return [
      ...(notBefore === undefined ? [required("status.notBefore", consistent)] : []),
      ...(notAfter === undefined ? [required("status.notAfter", consistent)] : []),
      ...(beginRefreshAt === undefined
        ? [required("status.beginRefreshAt", "must be present and in the range [notbefore+10min, notafter-10min]")]
        : []),
    ];
  }
  const [start, end, refresh] = [notBefore, notAfter, beginRefreshAt].map((time) => Date.parse(time)) as [
    number,
    number,
    number,
  ];
  const [leafStart, leafEnd] = [Date.parse(leaf.validFrom), Date.parse(leaf.validTo)];
  if (start !== leafStart) {
    return [
      invalid("status.notBefore", notBefore, "must be set to the NotBefore time encoded in the leaf certificate"),
    ];
  }
  if (Math.abs(start - nowMs) >= 5 * MINUTE_MS) {
    return [invalid("status.notBefore", notBefore, "must be set to within 5 minutes of kube-apiserver's current time")];
  }
  if (end !== leafEnd) {
    return [invalid("status.notAfter", notAfter, "must be set to the NotAfter time encoded in the leaf certificate")];
  }
  const lifetimeMs = leafEnd - leafStart;
  // Durations are shown in nanoseconds.
  const shown = lifetimeMs * 1e6;
  if (lifetimeMs < HOUR_MS) return [invalid(CHAIN, shown, "leaf certificate lifetime must be >= 1 hour")];
  if (lifetimeMs > maxSeconds * 1000) {
    const detail = `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`;
    return [invalid(CHAIN, shown, detail)];
  }
  const field = "status.beginRefreshAt";
  if (refresh < start + 10 * MINUTE_MS) {
    return [invalid(field, beginRefreshAt, "must be at least 10 minutes after status.notBefore")];
  }
  if (refresh > end - 10 * MINUTE_MS) {
    return [invalid(field, beginRefreshAt, "must be at least 10 minutes before status.notAfter")];
  }
  return [];
}
