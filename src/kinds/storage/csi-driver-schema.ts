// The schema of CSIDriver.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSIDriver = ObjectOf<typeof csiDriverSchema>;

export const csiDriverSchema = objectSchema(
  "storage.v1.CSIDriver",
  { doc: "How a storage driver wants to be treated. Its name is that of the driver." },
  () => ({
    spec: s.of(csiDriverSpec, { proto: 2, doc: "What the driver needs and can do." }),
  }),
);

export type CSIDriverSpec = ObjectOf<typeof csiDriverSpec>;

export const csiDriverSpec = s.struct(
  "storage.v1.CSIDriverSpec",
  { doc: "What a storage driver needs and can do." },
  () => ({
    attachRequired: s.boolean({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "True (the default) if volumes must be attached before they are mounted; false skips that step. Cannot change.",
    }),
    podInfoOnMount: s.boolean({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "True if mounting needs to know the pod's name, namespace, uid and service account; false if not set.",
    }),
    volumeLifecycleModes: s.list("string", {
      alias: "VolumeLifecycleMode",
      proto: 3,
      optional: true,
      listType: "set",
      doc: "Persistent (the default): through claims; Ephemeral: written in the pod, living as long as it. Cannot change.",
    }),
    storageCapacity: s.boolean({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "True if the scheduler shall wait for and respect the reported capacity of the driver; false if not set.",
    }),
    fsGroupPolicy: s.string({
      alias: "FSGroupPolicy",
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Who may change the group of files: ReadWriteOnceWithFSType (the default) decides by volume; File always does; None never.",
    }),
    tokenRequests: s.list(tokenRequest, {
      proto: 6,
      optional: true,
      listType: "atomic",
      doc: "Tokens of the pod's service account that the driver gets when mounting, each for one audience.",
    }),
    requiresRepublish: s.boolean({
      proto: 7,
      optional: true,
      pointer: true,
      doc: "True if mounting shall be repeated now and then, for contents that change, such as tokens; false if not set.",
    }),
    seLinuxMount: s.boolean({
      proto: 8,
      optional: true,
      pointer: true,
      gate: "SELinuxMountReadWriteOncePod",
      doc: "True if the driver can mount with an SELinux label for the whole volume instead of relabelling files. False if not set.",
    }),
    nodeAllocatableUpdatePeriodSeconds: s.int64({
      proto: 9,
      optional: true,
      pointer: true,
      gate: "MutableCSINodeAllocatableCount",
      doc: "Seconds between updates of how many volumes a node can take; at least 10. Not set, it stays as first reported.",
    }),
  }),
);

export type TokenRequest = ObjectOf<typeof tokenRequest>;

export const tokenRequest = s.struct(
  "storage.v1.TokenRequest",
  { doc: "A token that a storage driver wants." },
  () => ({
    audience: s.string({ proto: 1, doc: "Who shall accept the token; empty means the server itself." }),
    expirationSeconds: s.int64({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Seconds that the token shall be valid; at least 600. Not set, an hour.",
    }),
  }),
);
