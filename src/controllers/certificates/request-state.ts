// How far a request for a certificate has come, and when nobody needs it any more. Pure. Times are upstream's.

import { X509Certificate } from "node:crypto";
import type { CertificateSigningRequest } from "../../kinds/certificates/certificate-signing-request.ts";

type Decision = "pending" | "approved" | "denied" | "failed";

export function decisionOn({ status }: CertificateSigningRequest): Decision {
  const has = (wanted: string) => status.conditions?.some(({ type }) => type === wanted) === true;
  if (has("Denied")) return "denied";
  if (has("Failed")) return "failed";
  return has("Approved") ? "approved" : "pending";
}

export const isIssued = ({ status }: CertificateSigningRequest): boolean => Boolean(status.certificate);

const HOUR_MS = 3_600_000;
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** Milliseconds until the request may go, 0 when it may; undefined when nobody can say. */
export function msUntilStale(request: CertificateSigningRequest, nowMs: number): number | undefined {
  const { metadata, status } = request;
  const conditions = status.conditions ?? [];
  const ends =
    conditions.length === 0
      ? [Date.parse(metadata.creationTimestamp ?? "") + PENDING_MS]
      : conditions
          // Whoever signs what was approved may take any time.
          .filter(({ type }) => (type === "Approved" ? isIssued(request) : REFUSALS.has(type)))
          .map(({ lastUpdateTime }) => Date.parse(lastUpdateTime ?? "") + DECIDED_MS);
  if (isIssued(request)) ends.push(certificateEndMs(status.certificate ?? ""));
  const [first] = ends.filter((end) => !Number.isNaN(end)).sort((a, b) => a - b);
  return first === undefined ? undefined : Math.max(0, first - nowMs);
}

const REFUSALS: ReadonlySet<string> = new Set(["Denied", "Failed"]);

function certificateEndMs(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, "base64")).validTo);
  } catch {
    return Number.NaN;
  }
}
