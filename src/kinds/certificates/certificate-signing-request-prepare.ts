// Who may write what of a certificate signing request. Requirements: document 2, "Certificate signing".

import { timeOfMs } from "../../meta/time.ts";
import type { HookContext } from "../define-kind.ts";
import { restore } from "../subresources.ts";
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from "./certificate-signing-request-schema.ts";

/** The requester is the one who sends the request, whatever the body says. */
export function prepareForCreate(request: CertificateSigningRequest, { user, userName }: HookContext): void {
  const { spec } = request;
  delete spec.uid;
  delete spec.groups;
  delete spec.extra;
  spec.username = user?.name ?? userName ?? "";
  if (user?.uid) spec.uid = user.uid;
  if (user?.groups.length) spec.groups = [...user.groups];
  if (user?.extra && Object.keys(user.extra).length > 0) {
    spec.extra = Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]]));
  }
  request.status = {};
}

/** Signers write certificates; approval is not theirs to give or take. */
export function prepareStatus(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { nowMs }: HookContext,
): void {
  request.spec = old.spec;
  keepDecisions(request, old);
  stampConditions(request, old, nowMs);
}

/** Approvers write conditions; the certificate is the signer's. */
export function prepareApproval(
  request: CertificateSigningRequest,
  old: CertificateSigningRequest,
  { nowMs }: HookContext,
): void {
  request.spec = old.spec;
  restore(request.status, old.status, "certificate");
  stampConditions(request, old, nowMs);
}

const isDecision = ({ type }: CertificateSigningRequestCondition): boolean => type === "Approved" || type === "Denied";

function keepDecisions(request: CertificateSigningRequest, old: CertificateSigningRequest): void {
  const before = (old.status.conditions ?? []).filter(isDecision);
  const unused = new Set(before);
  const kept: CertificateSigningRequestCondition[] = [];
  for (const condition of request.status.conditions ?? []) {
    const same = isDecision(condition)
      ? before.find((one) => one.type === condition.type && unused.has(one))
      : undefined;
    if (same === undefined) {
      // A decision that was not there is dropped.
      if (!isDecision(condition)) kept.push(condition);
      continue;
    }
    unused.delete(same);
    kept.push({ ...same });
  }
  for (const condition of unused) kept.push({ ...condition });
  if (kept.length === 0) delete request.status.conditions;
  else request.status.conditions = kept;
}

function stampConditions(request: CertificateSigningRequest, old: CertificateSigningRequest, nowMs: number): void {
  const now = timeOfMs(nowMs);
  for (const condition of request.status.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    if (condition.lastTransitionTime) continue;
    const before = (old.status.conditions ?? []).find(({ type }) => type === condition.type);
    const isSame = before?.status === condition.status && before.lastTransitionTime;
    condition.lastTransitionTime = isSame ? before.lastTransitionTime : now;
  }
}
