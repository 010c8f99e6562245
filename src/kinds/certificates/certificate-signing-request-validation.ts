// What a CertificateSigningRequest must look like, and who may write which part of its status.
// Requirements: document 2, "Certificate signing".

import { X509Certificate } from "node:crypto";
import { equalJson } from "../../base/json.ts";
import { pemBlocks } from "../../base/key-pair.ts";
import { duplicate, type FieldError, forbiddenField, invalid, notSupported, required } from "../../meta/field-error.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { internalDiff } from "../core/pod/update-validation.ts";
import { checkSignerName } from "../core/signer-name-validation.ts";
import type { HookContext } from "../define-kind.ts";
import { certificateRequestProblem } from "./certificate-request.ts";
import {
  type CertificateSigningRequest,
  type CertificateSigningRequestCondition,
  certificateSigningRequestCondition,
  certificateSigningRequestSpec,
} from "./certificate-signing-request-schema.ts";

export function validateRequest(request: CertificateSigningRequest, { names }: HookContext): FieldError[] {
  const { spec } = request;
  const errors: FieldError[] = [];
  const problem = certificateRequestProblem(textOf(spec.request));
  if (problem !== undefined) errors.push(invalid("spec.request", spec.request, problem));
  checkFields(spec, certificateSigningRequestSpec, "spec", errors, ["usages"]);
  if (spec.signerName === `${names.certificateSignerDomain}/legacy-unknown`) {
    const detail = "the legacy signerName is not allowed via this API version";
    errors.push(invalid("spec.signerName", spec.signerName, detail));
  } else checkSignerName(errors, "spec.signerName", spec.signerName);
  checkFields(spec, certificateSigningRequestSpec, "spec", errors, ["expirationSeconds"]);
  return [...errors, ...validateStatus(request)];
}

type Update = (request: CertificateSigningRequest, old: CertificateSigningRequest) => FieldError[];

/** The spec is the stored one: only the status is judged. What it has already is not judged again. */
function updateThrough(rights: { readonly decide?: boolean; readonly sign?: boolean }): Update {
  return (request, old) => {
    const errors = validateStatus(request, old);
    checkConditionChanges(request, old, rights.decide === true, errors);
    const { certificate } = request.status;
    if (equalJson(certificate, old.status.certificate)) return errors;
    const field = "status.certificate";
    if (!rights.sign) errors.push(forbiddenField(field, "updates may not set certificate content"));
    else if (old.status.certificate) {
      errors.push(forbiddenField(field, "updates may not modify existing certificate content"));
    }
    return errors;
  };
}

export const validateRequestUpdate = updateThrough({});
export const validateRequestStatus = updateThrough({ sign: true });
export const validateRequestApproval = updateThrough({ decide: true });

function validateStatus({ status }: CertificateSigningRequest, old?: CertificateSigningRequest): FieldError[] {
  const errors: FieldError[] = [];
  const before = old && validateStatus(old);
  checkConditions(status.conditions ?? [], errors);
  const problem = certificateProblem(textOf(status.certificate));
  if (problem !== undefined) errors.push(invalid("status.certificate", "<certificate data>", problem));
  if (before === undefined || before.length === 0) return errors;
  // What an older release took stays updatable.
  const known = new Set(before.map(({ field }) => field.replace(/\[.*/, "")));
  return errors.filter(({ field }) => !known.has(field.replace(/\[.*/, "")));
}

const DECISIVE = ["Approved", "Denied", "Failed"];
const STATUSES = ["False", "True", "Unknown"];

function checkConditions(conditions: readonly CertificateSigningRequestCondition[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach(({ type, status }, index) => {
    const at = `status.conditions[${index}]`;
    if (type === "") errors.push(required(`${at}.type`));
    const allowed = DECISIVE.includes(type) ? ["True"] : STATUSES;
    if (status === "") errors.push(required(`${at}.status`));
    else if (!allowed.includes(status)) errors.push(notSupported(`${at}.status`, status, allowed));
    const opposite = type === "Approved" ? "Denied" : type === "Denied" ? "Approved" : undefined;
    if (opposite !== undefined && seen.has(opposite)) {
      errors.push(invalid("status.conditions", type, "Approved and Denied conditions are mutually exclusive"));
    }
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
  });
}

function checkConditionChanges(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  mayDecide: boolean,
  errors: FieldError[],
): void {
  const ofType = ({ status }: CertificateSigningRequest, type: string) =>
    (status.conditions ?? []).filter((condition) => condition.type === type);
  const forbid = (detail: string) => errors.push(forbiddenField("status.conditions", detail));
  const removed = (type: string) => ofType(request, type).length < ofType(old, type).length;
  for (const type of DECISIVE.filter(removed)) {
    forbid(`updates may not remove a condition of type ${JSON.stringify(type)}`);
  }
  for (const type of DECISIVE) {
    if (mayDecide || type === "Failed" || removed(type)) continue;
    const [now, before] = [ofType(request, type), ofType(old, type)];
    if (now.length > before.length) forbid(`updates may not add a condition of type ${JSON.stringify(type)}`);
    else if (!equalJson(now, before)) {
      const diff = internalDiff(before[0], now[0], certificateSigningRequestCondition);
      forbid(`updates may not modify a condition of type ${JSON.stringify(type)}\n${diff}`);
    }
  }
}

function certificateProblem(text: string): string | undefined {
  if (text === "") return undefined;
  const blocks = pemBlocks(text);
  if (blocks.length === 0) return "must contain at least one CERTIFICATE PEM block";
  for (const { type, text: pem } of blocks) {
    if (type !== "CERTIFICATE") return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (pem.includes(":")) return "no PEM block headers are permitted";
    try {
      new X509Certificate(pem);
    } catch {
      return "x509: malformed certificate";
    }
  }
  return undefined;
}

const textOf = (encoded: string | null | undefined): string => Buffer.from(encoded ?? "", "base64").toString("latin1");
