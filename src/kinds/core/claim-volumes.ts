// Volumes behind a claim: one that exists already, or one that is made for the pod and goes with it.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { persistentVolumeClaimSpec } from "./persistent-volume-claim-schema.ts";

export type PersistentVolumeClaimVolumeSource = ObjectOf<typeof persistentVolumeClaimVolumeSource>;

export const persistentVolumeClaimVolumeSource = s.struct(
  "core.v1.PersistentVolumeClaimVolumeSource",
  { doc: "The volume of a claim." },
  () => ({
    claimName: s.string({ proto: 1, doc: "The claim, in the namespace of the pod." }),
    readOnly: s.boolean({
      proto: 2,
      optional: true,
      doc: "Whether every mount of the volume is read-only. Not set means false.",
    }),
  }),
);

export type EphemeralVolumeSource = ObjectOf<typeof ephemeralVolumeSource>;

export const ephemeralVolumeSource = s.struct(
  "core.v1.EphemeralVolumeSource",
  { doc: "A volume that is made by a claim of the pod and goes with it." },
  () => ({
    volumeClaimTemplate: s.of(persistentVolumeClaimTemplate, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The claim that is made, called `<pod>-<volume>` and owned by the pod. Required; cannot be changed.",
    }),
  }),
);

export type PersistentVolumeClaimTemplate = ObjectOf<typeof persistentVolumeClaimTemplate>;

export const persistentVolumeClaimTemplate = s.struct(
  "core.v1.PersistentVolumeClaimTemplate",
  { doc: "The claim that is made for a pod." },
  () => ({
    metadata: s.of(objectMeta, {
      proto: 1,
      optional: true,
      doc: "Labels and annotations that the claim gets; nothing else is allowed.",
    }),
    spec: s.of(persistentVolumeClaimSpec, {
      proto: 2,
      doc: "The storage that is asked for, copied into the claim as it is.",
    }),
  }),
);
