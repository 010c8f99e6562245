// Which lease a candidate wants, as a key: leases are told apart by it also where there is none yet.

import { keyText, type Stored } from "../../client/informer.ts";
import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";

export type Candidate = Stored<LeaseCandidate>;

/** Undefined where no lease can have that name. A store may hold candidates that the server never took, without any. */
export function leaseKeyOf({ metadata, spec }: Candidate): string | undefined {
  if (dns1123SubdomainProblems(spec?.leaseName ?? "").length > 0) return undefined;
  return keyText({ namespace: metadata.namespace ?? "", name: spec.leaseName });
}
