// What a VolumeAttachment must look like: what is attached where never changes.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { type FieldError, forbiddenField, invalid, required, tooLong } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { checkDriverName } from "../core/persistent-volume-source-validation.ts";
import { validateInlineVolumeSpec } from "../core/persistent-volume-spec-validation.ts";
import type { HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { addProblems, IMMUTABLE } from "../meta/value-checks.ts";
import {
  type VolumeAttachment,
  type VolumeAttachmentSource,
  type VolumeAttachmentStatus,
  volumeAttachmentSpec,
} from "./volume-attachment-schema.ts";

const MAX_METADATA_BYTES = 256 * 1024;

export function validateVolumeAttachment({ spec, status }: VolumeAttachment, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  checkDriverName(errors, "spec.attacher", spec.attacher);
  checkSource(spec.source, context, errors);
  addProblems(errors, "spec.nodeName", spec.nodeName, dns1123SubdomainProblems(spec.nodeName));
  checkStatus(status, errors);
  return errors;
}

export function validateVolumeAttachmentUpdate(
  attachment: VolumeAttachment,
  old: VolumeAttachment,
  context: HookContext,
): FieldError[] {
  const errors = validateVolumeAttachment(attachment, context);
  if (!equalJson(attachment.spec, old.spec)) {
    errors.push(invalid("spec", internalForm(attachment.spec, volumeAttachmentSpec), IMMUTABLE));
  }
  return errors;
}

function checkSource(source: VolumeAttachmentSource, context: HookContext, errors: FieldError[]): void {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source;
  const onlyOne = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
  if (name === undefined && !inline) errors.push(required("spec.source", onlyOne));
  if (name !== undefined && inline) errors.push(forbiddenField("spec.source", onlyOne));
  const field = "spec.source.persistentVolumeName";
  if (name === "") errors.push(required(field, "must specify non empty persistentVolumeName"));
  if (name !== undefined) addProblems(errors, field, name, dns1123SubdomainProblems(name));
  else if (inline) append(errors, validateInlineVolumeSpec(inline, "spec.source.inlineVolumeSpec", context));
}

function checkStatus(status: VolumeAttachmentStatus, errors: FieldError[]): void {
  let sizeBytes = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {})) {
    sizeBytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (sizeBytes > MAX_METADATA_BYTES) errors.push(tooLong("status.attachmentMetadata", MAX_METADATA_BYTES));
  for (const part of ["attachError", "detachError"] as const) {
    if (Buffer.byteLength(status[part]?.message ?? "") <= MAX_METADATA_BYTES) continue;
    errors.push(tooLong(`status.${part}.message`, MAX_METADATA_BYTES));
  }
}
