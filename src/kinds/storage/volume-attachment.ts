// VolumeAttachment: attaches a volume to a node.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defaultPersistentVolumeSpec } from "../core/persistent-volume-defaults.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { VolumeAttachment } from "./volume-attachment-schema.ts";
import { volumeAttachmentSchema } from "./volume-attachment-schema.ts";
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from "./volume-attachment-validation.ts";

export type { VolumeAttachment } from "./volume-attachment-schema.ts";

export const volumeAttachment = defineKind({
  group: "storage",
  version: "v1",
  kind: "VolumeAttachment",
  resource: "volumeattachments",
  scope: "Cluster",
  schema: volumeAttachmentSchema,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Attacher", type: "string", format: "name", cell: ({ spec }) => spec.attacher },
    { name: "PV", type: "string", cell: ({ spec }) => spec.source.persistentVolumeName ?? "" },
    { name: "Node", type: "string", cell: ({ spec }) => spec.nodeName },
    { name: "Attached", type: "boolean", cell: ({ status }) => status.attached },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<VolumeAttachment>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateVolumeAttachmentUpdate,
    },
  },
  hooks: {
    default({ spec: { source } }) {
      if (source.inlineVolumeSpec) defaultPersistentVolumeSpec(source.inlineVolumeSpec);
    },
    prepareForCreate(attachment) {
      attachment.status = { attached: false };
    },
    prepareForUpdate: keepStatus,
    validate: validateVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
  },
});
