// The schema of VolumeAttachment.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { persistentVolumeSpec } from "../core/persistent-volume-schema.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type VolumeAttachment = ObjectOf<typeof volumeAttachmentSchema>;

export const volumeAttachmentSchema = objectSchema(
  "storage.v1.VolumeAttachment",
  "Attaches a volume to a node, or detaches it when deleted. Made by the controller for the driver to act on.",
  () => ({
    spec: s.of(volumeAttachmentSpec, 2, "Which volume, which node, which driver. Cannot change."),
    status: opt.of(volumeAttachmentStatus, 3, "Whether it is attached; written by the driver's attacher."),
  }),
);

export const volumeAttachmentSpec = s.struct(
  "storage.v1.VolumeAttachmentSpec",
  "Which volume is attached to which node, and by whom.",
  () => ({
    attacher: s.string(1, "The driver that must do it."),
    source: s.of(volumeAttachmentSource, 2, "The volume to attach."),
    nodeName: s.string(3, "The node to attach the volume to."),
  }),
);

export type VolumeAttachmentSource = ObjectOf<typeof volumeAttachmentSource>;

const volumeAttachmentSource = s.struct(
  "storage.v1.VolumeAttachmentSource",
  "The volume to attach; exactly one of the two is set.",
  () => ({
    persistentVolumeName: ptr.string(1, "The name of the persistent volume."),
    inlineVolumeSpec: ptr.of(
      persistentVolumeSpec,
      2,
      "The volume itself, for volumes that pods describe in place and that have been migrated to a driver.",
    ),
  }),
);

export type VolumeAttachmentStatus = ObjectOf<typeof volumeAttachmentStatus>;

const volumeAttachmentStatus = s.struct("storage.v1.VolumeAttachmentStatus", "How far the attaching has come.", () => ({
  attached: s.boolean(1, "True once the volume is attached."),
  attachmentMetadata: opt.map("string", 2, "What the driver reports of the attachment, for use when mounting."),
  attachError: ptr.of(volumeError, 3, "The last failure to attach; gone after success."),
  detachError: ptr.of(volumeError, 4, "The last failure to detach; gone after success."),
}));

const volumeError = s.struct("storage.v1.VolumeError", "A failure to attach or detach.", () => ({
  time: shown.time(1, "When it happened."),
  message: opt.string(2, "What went wrong; no secrets belong here, it may be logged."),
  errorCode: ptr.int32(
    3,
    "The gRPC status code of the driver's answer; 8 (resource exhausted) means that the node is full.",
    { gate: "MutableCSINodeAllocatableCount" },
  ),
}));
