// Lease: who holds something, and until when.

import { OLDEST_EMULATION_VERSION } from "../../meta/election-strategy.ts";
import { type FieldError, forbiddenField, notSupported } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { fieldErrors, NOT_NEGATIVE } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";

export type Lease = ObjectOf<typeof leaseSchema>;

const leaseSchema = objectSchema("coordination.v1.Lease", "Who holds something, and until when.", () => ({
  spec: opt.of(leaseSpec, 2, "The holder and its times."),
}));

export const lease = defineKind({
  group: "coordination",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  scope: "Namespaced",
  schema: leaseSchema,
  createOnUpdate: true,
  freeFinalizers: true,
  columns: [
    NAME_COLUMN,
    { name: "Holder", type: "string", cell: (lease) => lease.spec.holderIdentity ?? "" },
    AGE_COLUMN,
  ],
  hooks: { validate: validateLease, validateUpdate: validateLease },
});

const leaseSpec = s.struct("coordination.v1.LeaseSpec", "Who holds a lease, since when and for how long.", () => ({
  holderIdentity: ptr.string(1, "Who holds the lease; empty or not set when nobody does."),
  leaseDurationSeconds: ptr.int32(
    2,
    "For how many seconds after renewTime others must respect the holder. Greater than zero.",
    { must: { amount: (seconds) => (seconds > 0 ? [] : ["must be greater than 0"]) } },
  ),
  acquireTime: ptr.microTime(3, "When the present holder took the lease."),
  renewTime: ptr.microTime(4, "When the present holder last renewed the lease."),
  leaseTransitions: ptr.int32(5, "How often the lease went from one holder to another.", { must: NOT_NEGATIVE }),
  strategy: ptr.named(
    "CoordinatedLeaseStrategy",
    6,
    "How the holder is chosen from LeaseCandidates. When not set, clients compete for the lease themselves.",
    { gate: "CoordinatedLeaderElection" },
  ),
  preferredHolder: ptr.string(
    7,
    "Who should hold the lease next: a present holder of another name gives it up. Only with strategy.",
    { gate: "CoordinatedLeaderElection" },
  ),
}));

function validateLease({ spec }: Lease): FieldError[] {
  const errors = fieldErrors(spec, leaseSpec, "spec");
  if (spec.strategy !== undefined) checkStrategy(spec.strategy, "spec.strategy.strategy", errors);
  if (spec.preferredHolder && !spec.strategy) {
    errors.push(forbiddenField("spec.preferredHolder", "may only be specified if `strategy` is defined"));
  }
  return errors;
}

const STRATEGIES: readonly string[] = [OLDEST_EMULATION_VERSION];

/** A strategy without a domain is one of ours. */
export function checkStrategy(strategy: string, field: string, errors: FieldError[]): void {
  if (strategy.includes("/")) addProblems(errors, field, strategy, qualifiedNameProblems(strategy));
  else if (!STRATEGIES.includes(strategy)) errors.push(notSupported(field, strategy, STRATEGIES));
}
