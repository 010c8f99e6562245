// The schema of CSIDriver.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type CSIDriver = ObjectOf<typeof csiDriverSchema>;

export const csiDriverSchema = objectSchema(
  "storage.v1.CSIDriver",
  "How a storage driver wants to be treated. Its name is that of the driver.",
  () => ({
    spec: s.of(csiDriverSpec, 2, "What the driver needs and can do."),
  }),
);

export type CSIDriverSpec = ObjectOf<typeof csiDriverSpec>;

const csiDriverSpec = s.struct("storage.v1.CSIDriverSpec", "What a storage driver needs and can do.", () => ({
  attachRequired: ptr.boolean(
    1,
    "True (the default) if volumes must be attached before they are mounted; false skips that step. Cannot change.",
  ),
  podInfoOnMount: ptr.boolean(
    2,
    "True if mounting needs to know the pod's name, namespace, uid and service account; false if not set.",
  ),
  volumeLifecycleModes: opt.set(
    "string",
    3,
    "Persistent (the default): through claims; Ephemeral: written in the pod, living as long as it. Cannot change.",
    { alias: "VolumeLifecycleMode" },
  ),
  storageCapacity: ptr.boolean(
    4,
    "True if the scheduler shall wait for and respect the reported capacity of the driver; false if not set.",
  ),
  fsGroupPolicy: ptr.named(
    "FSGroupPolicy",
    5,
    "Who may change the group of files: ReadWriteOnceWithFSType (the default) decides by volume; File always does; None never.",
  ),
  tokenRequests: opt.atomic(
    tokenRequest,
    6,
    "Tokens of the pod's service account that the driver gets when mounting, each for one audience.",
  ),
  requiresRepublish: ptr.boolean(
    7,
    "True if mounting shall be repeated now and then, for contents that change, such as tokens; false if not set.",
  ),
  seLinuxMount: ptr.boolean(
    8,
    "True if the driver can mount with an SELinux label for the whole volume instead of relabelling files. False if not set.",
    { gate: "SELinuxMountReadWriteOncePod" },
  ),
  nodeAllocatableUpdatePeriodSeconds: ptr.int64(
    9,
    "Seconds between updates of how many volumes a node can take; at least 10. Not set, it stays as first reported.",
    { gate: "MutableCSINodeAllocatableCount" },
  ),
}));

export type TokenRequest = ObjectOf<typeof tokenRequest>;

const tokenRequest = s.struct("storage.v1.TokenRequest", "A token that a storage driver wants.", () => ({
  audience: s.string(1, "Who shall accept the token; empty means the server itself."),
  expirationSeconds: ptr.int64(2, "Seconds that the token shall be valid; at least 600. Not set, an hour."),
}));
