// Defaults of device claims, in claims and in their templates.

import type { ResourceClaimSpec } from "./resource-claim-spec.ts";

export function defaultClaim({ devices }: ResourceClaimSpec): void {
  for (const request of devices.requests ?? []) {
    for (const asked of [request.exactly, ...(request.firstAvailable ?? [])]) {
      if (!asked) continue;
      asked.allocationMode ||= "ExactCount";
      if (asked.allocationMode === "ExactCount") asked.count ||= 1;
    }
  }
}
