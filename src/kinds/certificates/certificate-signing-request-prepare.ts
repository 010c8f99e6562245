// Who may write what of a certificate signing request. Requirements: document 2, "Certificate signing".

import { indexBy } from "../../base/index-by.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { HookContext } from "../define-kind.ts";
import { restore } from "../subresources.ts";
import type { CertificateSigningRequest } from "./certificate-signing-request-schema.ts";

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

/** Decisions stay as they were. One more or one less is left in, to be refused. */
function keepDecisions(request: CertificateSigningRequest, old: CertificateSigningRequest): void {
  for (const type of ["Approved", "Denied"]) {
    const before = (old.status.conditions ?? []).filter((condition) => condition.type === type);
    const conditions = request.status.conditions ?? [];
    if (conditions.filter((condition) => condition.type === type).length !== before.length) continue;
    let next = 0;
    conditions.forEach((condition, index) => {
      if (condition.type === type) conditions[index] = { ...before[next++]! };
    });
  }
}

function stampConditions(request: CertificateSigningRequest, old: CertificateSigningRequest, nowMs: number): void {
  const now = timeOfMs(nowMs);
  const known = indexBy(old.status.conditions, ({ type }) => type);
  for (const condition of request.status.conditions ?? []) {
    condition.lastUpdateTime ??= now;
    if (condition.lastTransitionTime) continue;
    const before = known.get(condition.type);
    const isSame = before?.status === condition.status && before.lastTransitionTime;
    condition.lastTransitionTime = isSame ? before.lastTransitionTime : now;
  }
}
