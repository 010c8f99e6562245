// The schema of CSIDriver.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSIDriver = ObjectOf<typeof csiDriverSchema>;

export const csiDriverSchema = objectSchema(
  "storage.v1.CSIDriver",
  { doc: "How a storage driver wants to be treated." },
  () => ({
    spec: s.of(csiDriverSpec, { proto: 2 }),
  }),
);

export type CSIDriverSpec = ObjectOf<typeof csiDriverSpec>;

export const csiDriverSpec = s.struct("storage.v1.CSIDriverSpec", () => ({
  attachRequired: s.boolean({ proto: 1, optional: true, pointer: true }),
  podInfoOnMount: s.boolean({ proto: 2, optional: true, pointer: true }),
  volumeLifecycleModes: s.list("string", { alias: "VolumeLifecycleMode", proto: 3, optional: true, listType: "set" }),
  storageCapacity: s.boolean({ proto: 4, optional: true, pointer: true }),
  fsGroupPolicy: s.string({ alias: "FSGroupPolicy", proto: 5, optional: true, pointer: true }),
  tokenRequests: s.list(tokenRequest, { proto: 6, optional: true, listType: "atomic" }),
  requiresRepublish: s.boolean({ proto: 7, optional: true, pointer: true }),
  seLinuxMount: s.boolean({ proto: 8, optional: true, pointer: true, gate: "SELinuxMountReadWriteOncePod" }),
  nodeAllocatableUpdatePeriodSeconds: s.int64({
    proto: 9,
    optional: true,
    pointer: true,
    gate: "MutableCSINodeAllocatableCount",
  }),
}));

export type TokenRequest = ObjectOf<typeof tokenRequest>;

export const tokenRequest = s.struct("storage.v1.TokenRequest", () => ({
  audience: s.string({ proto: 1 }),
  expirationSeconds: s.int64({ proto: 2, optional: true, pointer: true }),
}));
