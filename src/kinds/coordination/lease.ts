// Lease: who holds something, and until when.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateLease } from "./lease-validation.ts";

export type Lease = ObjectOf<typeof leaseSchema>;

export const leaseSchema = objectSchema(
  "coordination.v1.Lease",
  { doc: "Who holds something, and until when." },
  () => ({
    spec: s.of(leaseSpec, { proto: 2, optional: true, doc: "The holder and its times." }),
  }),
);

export const lease = defineKind({
  group: "coordination",
  version: "v1",
  kind: "Lease",
  resource: "leases",
  singular: "lease",
  scope: "Namespaced",
  verbs: ALL_VERBS,
  schema: leaseSchema,
  storagePrefix: "leases",
  createOnUpdate: true,
  protobuf: true,
  name: "dns1123Subdomain",
  freeFinalizers: true,
  columns: [
    NAME_COLUMN,
    { name: "Holder", type: "string", cell: (lease) => lease.spec.holderIdentity ?? "" },
    AGE_COLUMN,
  ],
  hooks: { validate: validateLease, validateUpdate: validateLease },
});

export type LeaseSpec = ObjectOf<typeof leaseSpec>;

export const leaseSpec = s.struct(
  "coordination.v1.LeaseSpec",
  { doc: "Who holds a lease, since when and for how long." },
  () => ({
    holderIdentity: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Who holds the lease; empty or not set when nobody does.",
    }),
    leaseDurationSeconds: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "For how many seconds after renewTime others must respect the holder. Greater than zero.",
    }),
    acquireTime: s.microTime({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "When the present holder took the lease.",
    }),
    renewTime: s.microTime({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "When the present holder last renewed the lease.",
    }),
    leaseTransitions: s.int32({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "How often the lease went from one holder to another.",
    }),
    strategy: s.string({
      alias: "CoordinatedLeaseStrategy",
      proto: 6,
      optional: true,
      pointer: true,
      gate: "CoordinatedLeaderElection",
      doc: "How the holder is chosen from LeaseCandidates. When not set, clients compete for the lease themselves.",
    }),
    preferredHolder: s.string({
      proto: 7,
      optional: true,
      pointer: true,
      gate: "CoordinatedLeaderElection",
      doc: "Who should hold the lease next: a present holder of another name gives it up. Only with strategy.",
    }),
  }),
);
