// StorageClass: how volumes of a class are made.

import { canonicalText, equalJson } from "../../base/json.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { duplicate, type FieldError, forbiddenField } from "../../meta/field-error.ts";
import type { Names } from "../../meta/names.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import {
  type TopologySelectorTerm,
  topologySelectorLabelRequirement,
  topologySelectorTerm,
} from "../core/node-selector.ts";
import { deprecatedLabel } from "../core/pod/warnings.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkOptionalWord } from "../meta/value-checks.ts";
import { checkParameters, checkProvisioner } from "./parameter-validation.ts";

export type StorageClass = ObjectOf<typeof storageClassSchema>;

const storageClassSchema = objectSchema(
  "storage.v1.StorageClass",
  "How volumes of a class are made; claims choose the class by its name.",
  () => ({
    provisioner: s.string(2, "The driver that makes the volumes. Cannot change."),
    parameters: opt.map("string", 3, "Settings for the driver, by key; at most 512. Cannot change."),
    reclaimPolicy: ptr.enumOf(
      "PersistentVolumeReclaimPolicy",
      ["Delete", "Recycle", "Retain"],
      4,
      "What becomes of a volume when its claim is gone: Delete (the default) or Retain. Cannot change.",
    ),
    mountOptions: opt.atomic(
      "string",
      5,
      "Options with which volumes are mounted; not checked, and a wrong one makes the mount fail.",
    ),
    allowVolumeExpansion: ptr.boolean(6, "True if claims of this class may ask for more space later."),
    volumeBindingMode: ptr.enumOf(
      "VolumeBindingMode",
      ["Immediate", "WaitForFirstConsumer"],
      7,
      "Immediate (the default) makes volumes at once, WaitForFirstConsumer where the first pod is placed. Cannot change.",
      { must: { filled: true, listed: true } },
    ),
    allowedTopologies: opt.atomic(
      topologySelectorTerm,
      8,
      "Where volumes may be made, by labels of nodes; empty means anywhere.",
    ),
  }),
);

export const storageClass = defineKind({
  group: "storage",
  version: "v1",
  kind: "StorageClass",
  resource: "storageclasses",
  scope: "Cluster",
  shortNames: ["sc"],
  schema: storageClassSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    {
      ...NAME_COLUMN,
      cell: ({ metadata }, { names }) => `${metadata.name ?? ""}${isDefault(metadata, names) ? " (default)" : ""}`,
    },
    { name: "Provisioner", type: "string", cell: (storageClass) => storageClass.provisioner },
    { name: "ReclaimPolicy", type: "string", cell: (storageClass) => storageClass.reclaimPolicy ?? "Delete" },
    {
      name: "VolumeBindingMode",
      type: "string",
      cell: (storageClass) => storageClass.volumeBindingMode ?? "Immediate",
    },
    {
      name: "AllowVolumeExpansion",
      type: "string",
      cell: (storageClass) => storageClass.allowVolumeExpansion ?? false,
    },
    AGE_COLUMN,
  ],
  hooks: {
    default(storageClass) {
      storageClass.reclaimPolicy ??= "Delete";
      storageClass.volumeBindingMode ??= "Immediate";
    },
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
    warn: warnStorageClass,
  },
});

/** Claims that name no class get this one. */
function isDefault({ annotations }: ObjectMeta, names: Names): boolean {
  const marks = [names.defaultStorageClassAnnotation, names.betaDefaultStorageClassAnnotation];
  return marks.some((mark) => annotations?.[mark] === "true");
}

function* validateStorageClass(storageClass: StorageClass): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkProvisioner(storageClass.provisioner, "provisioner", errors);
  checkParameters(storageClass.parameters, true, errors);
  const policy = storageClass.reclaimPolicy;
  if (policy) checkOptionalWord(errors, "reclaimPolicy", policy, ["Delete", "Retain"]);
  checkFields(storageClass, storageClassSchema, "", errors);
  yield* checkTopologies(storageClass.allowedTopologies ?? [], errors);
  return errors;
}

function* validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): Steps<FieldError[]> {
  const errors = yield* validateStorageClass(storageClass);
  const forbid = (field: string) => errors.push(forbiddenField(field, `updates to ${field} are forbidden.`));
  if (!equalJson(storageClass.parameters ?? {}, old.parameters ?? {})) forbid("parameters");
  if (storageClass.provisioner !== old.provisioner) forbid("provisioner");
  if (storageClass.reclaimPolicy !== old.reclaimPolicy) forbid("reclaimPolicy");
  checkImmutable(storageClass.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode", errors);
  return errors;
}

function warnStorageClass(
  { allowedTopologies = [] }: StorageClass,
  _old: StorageClass | undefined,
  { names }: HookContext,
): string[] {
  return allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
    matchLabelExpressions.flatMap(({ key }, position) => {
      const message = deprecatedLabel(key, names);
      return message === undefined
        ? []
        : [`allowedTopologies[${index}].matchLabelExpressions[${position}].key: ${message}`];
    }),
  );
}

/** Of so many equal terms a further one is told apart from each, until there are so many errors; then once. */
const MAX_REPEATS = 16;
const MAX_REPEATED_ERRORS = 1_000;

const TERMS_PER_STEP = 100;

function* checkTopologies(terms: readonly TopologySelectorTerm[], errors: FieldError[]): Steps<void> {
  const pace = new Pace(TERMS_PER_STEP);
  // Upstream compares with as many terms without expressions as there are terms, and with those before.
  const seen = new Map<string, number>([[canonicalText({}), terms.length]]);
  for (const [index, { matchLabelExpressions }] of terms.entries()) {
    if (pace.due()) yield;
    const at = `allowedTopologies[${index}].matchLabelExpressions`;
    const valuesByKey: Record<string, readonly string[]> = Object.create(null);
    for (const [position, requirement] of (matchLabelExpressions ?? []).entries()) {
      if (pace.due()) yield;
      const { key, values } = requirement;
      const field = `${at}[${position}]`;
      checkFields(requirement, topologySelectorLabelRequirement, field, errors, ["values", "key"]);
      if (key in valuesByKey) errors.push(duplicate(`${field}.key`, key));
      valuesByKey[key] = [...new Set(values)].sort();
    }
    const text = canonicalText(valuesByKey);
    const before = seen.get(text) ?? 0;
    const repeats = errors.length < MAX_REPEATED_ERRORS ? MAX_REPEATS : 1;
    for (let count = 0; count < Math.min(before, repeats); count++) errors.push(duplicate(at, ""));
    seen.set(text, before + 1);
  }
}
