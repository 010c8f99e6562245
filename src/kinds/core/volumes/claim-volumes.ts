// Volumes behind a claim: one that exists already, or one that is made for the pod and goes with it.

import { type ObjectOf, opt, ptr, s } from "../../../schema/builder.ts";
import { FILLED } from "../../../schema/check-fields.ts";
import { objectMeta } from "../../meta/object-meta.ts";
import { persistentVolumeClaimSpec } from "../persistent-volume-claim/schema.ts";

export const persistentVolumeClaimVolumeSource = s.struct(
  "core.v1.PersistentVolumeClaimVolumeSource",
  "The volume of a claim.",
  () => ({
    claimName: s.string(1, "The claim, in the namespace of the pod.", { must: FILLED }),
    readOnly: opt.boolean(2, "Whether every mount of the volume is read-only. Not set means false."),
  }),
);

export const ephemeralVolumeSource = s.struct(
  "core.v1.EphemeralVolumeSource",
  "A volume that is made by a claim of the pod and goes with it.",
  () => ({
    volumeClaimTemplate: ptr.of(
      persistentVolumeClaimTemplate,
      1,
      "The claim that is made, called `<pod>-<volume>` and owned by the pod. Required; cannot be changed.",
    ),
  }),
);

export type PersistentVolumeClaimTemplate = ObjectOf<typeof persistentVolumeClaimTemplate>;

const persistentVolumeClaimTemplate = s.struct(
  "core.v1.PersistentVolumeClaimTemplate",
  "The claim that is made for a pod.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels and annotations that the claim gets; nothing else is allowed."),
    spec: s.of(persistentVolumeClaimSpec, 2, "The storage that is asked for, copied into the claim as it is."),
  }),
);
