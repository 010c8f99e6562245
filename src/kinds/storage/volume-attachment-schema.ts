// The schema of VolumeAttachment.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { persistentVolumeSpec } from "../core/persistent-volume-schema.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type VolumeAttachment = ObjectOf<typeof volumeAttachmentSchema>;

export const volumeAttachmentSchema = objectSchema(
  "storage.v1.VolumeAttachment",
  { doc: "Attaches a volume to a node." },
  () => ({
    spec: s.of(volumeAttachmentSpec, { proto: 2 }),
    status: s.of(volumeAttachmentStatus, { proto: 3, optional: true }),
  }),
);

export type VolumeAttachmentSpec = ObjectOf<typeof volumeAttachmentSpec>;

export const volumeAttachmentSpec = s.struct("storage.v1.VolumeAttachmentSpec", () => ({
  attacher: s.string({ proto: 1 }),
  source: s.of(volumeAttachmentSource, { proto: 2 }),
  nodeName: s.string({ proto: 3 }),
}));

export type VolumeAttachmentSource = ObjectOf<typeof volumeAttachmentSource>;

export const volumeAttachmentSource = s.struct("storage.v1.VolumeAttachmentSource", () => ({
  persistentVolumeName: s.string({ proto: 1, optional: true, pointer: true }),
  inlineVolumeSpec: s.of(persistentVolumeSpec, { proto: 2, optional: true, pointer: true }),
}));

export type VolumeAttachmentStatus = ObjectOf<typeof volumeAttachmentStatus>;

export const volumeAttachmentStatus = s.struct("storage.v1.VolumeAttachmentStatus", () => ({
  attached: s.boolean({ proto: 1 }),
  attachmentMetadata: s.map("string", { proto: 2, optional: true }),
  attachError: s.of(volumeError, { proto: 3, optional: true, pointer: true }),
  detachError: s.of(volumeError, { proto: 4, optional: true, pointer: true }),
}));

export type VolumeError = ObjectOf<typeof volumeError>;

export const volumeError = s.struct("storage.v1.VolumeError", () => ({
  time: s.time({ proto: 1, required: false }),
  message: s.string({ proto: 2, optional: true }),
  errorCode: s.int32({ proto: 3, optional: true, pointer: true, gate: "MutableCSINodeAllocatableCount" }),
}));
