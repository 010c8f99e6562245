// VolumeAttachment: attaches a volume to a node.

import { append } from "../../base/append.ts";
import { equalButEmptyLists } from "../../base/json.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { checkFields, INSIDE } from "../../schema/check-fields.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defaultPersistentVolumeSpec } from "../core/persistent-volume/defaults.ts";
import { persistentVolumeSpec } from "../core/persistent-volume/schema.ts";
import { validateInlineVolumeSpec } from "../core/persistent-volume/spec-validation.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { DRIVER_NAME, IMMUTABLE } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";

export type VolumeAttachment = ObjectOf<typeof volumeAttachmentSchema>;

const volumeAttachmentSchema = objectSchema(
  "storage.v1.VolumeAttachment",
  "Attaches a volume to a node, or detaches it when deleted. Made by the controller for the driver to act on.",
  () => ({
    spec: s.of(volumeAttachmentSpec, 2, "Which volume, which node, which driver. Cannot change."),
    status: opt.of(volumeAttachmentStatus, 3, "Whether it is attached; written by the driver's attacher."),
  }),
);

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

const volumeAttachmentSpec = s.struct(
  "storage.v1.VolumeAttachmentSpec",
  "Which volume is attached to which node, and by whom.",
  () => ({
    attacher: s.string(1, "The driver that must do it.", { must: DRIVER_NAME }),
    source: s.of(volumeAttachmentSource, 2, "The volume to attach."),
    nodeName: s.string(3, "The node to attach the volume to.", {
      must: { strict: true, form: dns1123SubdomainProblems },
    }),
  }),
);

type VolumeAttachmentSource = ObjectOf<typeof volumeAttachmentSource>;

const volumeAttachmentSource = s.struct(
  "storage.v1.VolumeAttachmentSource",
  "The volume to attach; exactly one of the two is set.",
  () => ({
    persistentVolumeName: ptr.string(1, "The name of the persistent volume.", {
      must: { strict: true, form: dns1123SubdomainProblems },
    }),
    inlineVolumeSpec: ptr.of(
      persistentVolumeSpec,
      2,
      "The volume itself, for volumes that pods describe in place and that have been migrated to a driver.",
    ),
  }),
);

type VolumeAttachmentStatus = ObjectOf<typeof volumeAttachmentStatus>;

const volumeAttachmentStatus = s.struct("storage.v1.VolumeAttachmentStatus", "How far the attaching has come.", () => ({
  attached: s.boolean(1, "True once the volume is attached."),
  attachmentMetadata: opt.map("string", 2, "What the driver reports of the attachment, for use when mounting."),
  attachError: ptr.of(volumeError, 3, "The last failure to attach; gone after success.", { must: INSIDE }),
  detachError: ptr.of(volumeError, 4, "The last failure to detach; gone after success.", { must: INSIDE }),
}));

const volumeError = s.struct("storage.v1.VolumeError", "A failure to attach or detach.", () => ({
  time: shown.time(1, "When it happened."),
  message: opt.string(2, "What went wrong; no secrets belong here, it may be logged.", {
    must: { maxBytes: MAX_METADATA_BYTES },
  }),
  errorCode: ptr.int32(
    3,
    "The gRPC status code of the driver's answer; 8 (resource exhausted) means that the node is full.",
    { gate: "MutableCSINodeAllocatableCount" },
  ),
}));

const MAX_METADATA_BYTES = 256 * 1024;

function validateVolumeAttachment(attachment: VolumeAttachment, context: HookContext): FieldError[] {
  const { spec } = attachment;
  const errors = validateAnyVersion(attachment, context);
  checkFields(spec, volumeAttachmentSpec, "spec", errors, ["attacher"]);
  checkFields(spec.source, volumeAttachmentSource, "spec.source", errors);
  return errors;
}

/** What older versions asked too; names were freer in them, and what has such names stays updatable. */
function validateAnyVersion({ spec, status }: VolumeAttachment, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  if (spec.attacher === "") errors.push(required("spec.attacher"));
  checkSource(spec.source, context, errors);
  checkFields(spec, volumeAttachmentSpec, "spec", errors, ["nodeName"]);
  checkStatus(status, errors);
  return errors;
}

function validateVolumeAttachmentUpdate(
  attachment: VolumeAttachment,
  old: VolumeAttachment,
  context: HookContext,
): FieldError[] {
  const errors = validateAnyVersion(attachment, context);
  // Upstream comes upon each twice.
  append(errors, [...errors]);
  if (!equalButEmptyLists(attachment.spec, old.spec)) {
    errors.push(invalid("spec", internalForm(attachment.spec, volumeAttachmentSpec), IMMUTABLE));
  }
  return errors;
}

function checkSource(source: VolumeAttachmentSource, context: HookContext, errors: FieldError[]): void {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  const onlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined && !inline) errors.push(required("spec.source", onlyOne));
  if (name !== undefined && inline) errors.push(forbiddenField("spec.source", onlyOne));
  else if (name === "")
    errors.push(required("spec.source.persistentVolumeName", "must specify non empty persistentVolumeName"));
  else if (inline) append(errors, validateInlineVolumeSpec(inline, "spec.source.inlineVolumeSpec", context));
}

function checkStatus(status: VolumeAttachmentStatus, errors: FieldError[]): void {
  let sizeBytes = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {})) {
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (sizeBytes > MAX_METADATA_BYTES) errors.push(tooLong("status.attachmentMetadata", MAX_METADATA_BYTES));
  checkFields(status, volumeAttachmentStatus, "status", errors);
}
