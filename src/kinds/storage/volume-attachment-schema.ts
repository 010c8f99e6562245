// The schema of VolumeAttachment.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { persistentVolumeSpec } from "../core/persistent-volume-schema.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type VolumeAttachment = ObjectOf<typeof volumeAttachmentSchema>;

export const volumeAttachmentSchema = objectSchema(
  "storage.v1.VolumeAttachment",
  { doc: "Attaches a volume to a node, or detaches it when deleted. Made by the controller for the driver to act on." },
  () => ({
    spec: s.of(volumeAttachmentSpec, { proto: 2, doc: "Which volume, which node, which driver. Cannot change." }),
    status: s.of(volumeAttachmentStatus, {
      proto: 3,
      optional: true,
      doc: "Whether it is attached; written by the driver's attacher.",
    }),
  }),
);

export type VolumeAttachmentSpec = ObjectOf<typeof volumeAttachmentSpec>;

export const volumeAttachmentSpec = s.struct(
  "storage.v1.VolumeAttachmentSpec",
  { doc: "Which volume is attached to which node, and by whom." },
  () => ({
    attacher: s.string({ proto: 1, doc: "The driver that must do it." }),
    source: s.of(volumeAttachmentSource, { proto: 2, doc: "The volume to attach." }),
    nodeName: s.string({ proto: 3, doc: "The node to attach the volume to." }),
  }),
);

export type VolumeAttachmentSource = ObjectOf<typeof volumeAttachmentSource>;

export const volumeAttachmentSource = s.struct(
  "storage.v1.VolumeAttachmentSource",
  { doc: "The volume to attach; exactly one of the two is set." },
  () => ({
    persistentVolumeName: s.string({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The name of the persistent volume.",
    }),
    inlineVolumeSpec: s.of(persistentVolumeSpec, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The volume itself, for volumes that pods describe in place and that have been migrated to a driver.",
    }),
  }),
);

export type VolumeAttachmentStatus = ObjectOf<typeof volumeAttachmentStatus>;

export const volumeAttachmentStatus = s.struct(
  "storage.v1.VolumeAttachmentStatus",
  { doc: "How far the attaching has come." },
  () => ({
    attached: s.boolean({ proto: 1, doc: "True once the volume is attached." }),
    attachmentMetadata: s.map("string", {
      proto: 2,
      optional: true,
      doc: "What the driver reports of the attachment, for use when mounting.",
    }),
    attachError: s.of(volumeError, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "The last failure to attach; gone after success.",
    }),
    detachError: s.of(volumeError, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The last failure to detach; gone after success.",
    }),
  }),
);

export type VolumeError = ObjectOf<typeof volumeError>;

export const volumeError = s.struct("storage.v1.VolumeError", { doc: "A failure to attach or detach." }, () => ({
  time: s.time({ proto: 1, required: false, doc: "When it happened." }),
  message: s.string({ proto: 2, optional: true, doc: "What went wrong; no secrets belong here, it may be logged." }),
  errorCode: s.int32({
    proto: 3,
    optional: true,
    pointer: true,
    gate: "MutableCSINodeAllocatableCount",
    doc: "The gRPC status code of the driver's answer; 8 (resource exhausted) means that the node is full.",
  }),
}));
