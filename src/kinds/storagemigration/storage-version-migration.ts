// StorageVersionMigration: writes stored objects again, in the current version.

import { duplicate, type FieldError, invalid, required } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import { opt, s, shown } from "../../schema/builder.ts";
import { checkFields } from "../../schema/check-fields.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { deprecation } from "../deprecation.ts";
import { CONDITION_MESSAGE, CONDITION_REASON, CONDITION_STATUSES } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { IMMUTABLE, NOT_NEGATIVE } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";

export type StorageVersionMigration = ObjectOf<typeof storageVersionMigrationSchema>;

const storageVersionMigrationSchema = objectSchema(
  "storagemigration.v1alpha1.StorageVersionMigration",
  "Writes stored objects again, in the current version.",
  () => ({
    spec: opt.of(storageVersionMigrationSpec, 2, "Which objects to rewrite."),
    status: opt.of(storageVersionMigrationStatus, 3, "How far the rewriting has come; written by the controller."),
  }),
);

export const storageVersionMigration = defineKind({
  group: "storagemigration",
  version: "v1alpha1",
  kind: "StorageVersionMigration",
  resource: "storageversionmigrations",
  scope: "Cluster",
  schema: storageVersionMigrationSchema,
  offByDefault: true,
  gate: "StorageVersionMigrator",
  deprecated: deprecation(
    { group: "storagemigration", version: "v1alpha1", kind: "StorageVersionMigration" },
    { since: "1.33", removedRelease: "1.36" },
  ),
  columns: [
    NAME_COLUMN,
    {
      name: "Resource",
      type: "string",
      cell: ({ spec: { resource } }) => [resource.resource, resource.version, resource.group].filter(Boolean).join("."),
    },
  ],
  subresources: {
    status: {
      ...statusSubresource<StorageVersionMigration>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateMigrationStatus,
    },
  },
  hooks: {
    prepareForCreate(migration) {
      migration.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateMigration,
    validateUpdate: validateMigrationUpdate,
  },
});

const storageVersionMigrationSpec = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationSpec",
  "Which objects to rewrite.",
  () => ({
    resource: s.of(
      groupVersionResource,
      1,
      "The resource whose objects are rewritten; any served version of it will do. Cannot change.",
    ),
    continueToken: opt.string(2, "Where to go on in the list of objects; empty starts at the beginning."),
  }),
);

const groupVersionResource = s.struct(
  "storagemigration.v1alpha1.GroupVersionResource",
  "A resource by its full name.",
  () => ({
    group: opt.string(1, "The API group; empty for the core group."),
    version: opt.string(2, "The API version; required."),
    resource: opt.string(3, "The plural word of the resource; required."),
  }),
);

const storageVersionMigrationStatus = s.struct(
  "storagemigration.v1alpha1.StorageVersionMigrationStatus",
  "How far a migration has come.",
  () => ({
    conditions: opt.listBy("type", migrationCondition, 1, "The present state by aspect: Running, Succeeded, Failed."),
    resourceVersion: opt.string(
      2,
      "The version of the store at which the migration began; objects written later need no rewriting.",
    ),
  }),
);

type MigrationCondition = ObjectOf<typeof migrationCondition>;

const migrationCondition = s.struct(
  "storagemigration.v1alpha1.MigrationCondition",
  "One aspect of the state of a migration.",
  () => ({
    type: s.named("MigrationConditionType", 1, "Running, Succeeded or Failed.", {
      must: { strict: true, form: qualifiedNameProblems },
    }),
    status: s.named("v1.ConditionStatus", 2, "Whether the condition holds: True, False or Unknown.", {
      must: { listed: CONDITION_STATUSES },
    }),
    lastUpdateTime: shown.time(3, "When the condition was last written."),
    reason: opt.string(4, "One word for programs: why it became so. Required.", { must: CONDITION_REASON }),
    message: opt.string(5, "Details for people.", { must: CONDITION_MESSAGE }),
  }),
);

function validateMigration({ spec: { resource } }: StorageVersionMigration): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["resource", "version"] as const) {
    if (!resource[field]) errors.push(required(`spec.resource.${field}`, `${field} is required`));
  }
  return errors;
}

function validateMigrationUpdate(migration: StorageVersionMigration, old: StorageVersionMigration): FieldError[] {
  const errors = validateMigration(migration);
  for (const field of ["group", "version", "resource"] as const) {
    const [now = "", was = ""] = [migration.spec.resource[field], old.spec.resource[field]];
    if (now !== was) errors.push(invalid(field, now, IMMUTABLE));
  }
  return errors;
}

function validateMigrationStatus(migration: StorageVersionMigration, old: StorageVersionMigration): FieldError[] {
  const { conditions = [], resourceVersion = "" } = migration.status;
  const errors: FieldError[] = [];
  checkResourceVersion(resourceVersion, errors);
  checkConditions(conditions, errors);
  if (old.status.resourceVersion && old.status.resourceVersion !== resourceVersion) {
    errors.push(invalid("status.resourceVersion", resourceVersion, IMMUTABLE));
  }
  const refuse = (detail: string) => errors.push(invalid("status.conditions", conditions, detail));
  const is = (type: string) => isTrue(migration, type);
  if (is("Succeeded") && is("Failed")) refuse("Both success and failed conditions cannot be true at the same time");
  if (is("Succeeded") && is("Running")) refuse("Running condition cannot be true when success condition is true");
  if (is("Failed") && is("Running")) refuse("Running condition cannot be true when failed condition is true");
  for (const [type, word] of [
    ["Succeeded", "Success"],
    ["Failed", "Failed"],
  ] as const) {
    if (isTrue(old, type) && !is(type)) refuse(`${word} condition cannot be set to false once it is true`);
  }
  return errors;
}

const isTrue = ({ status }: StorageVersionMigration, type: string): boolean =>
  (status.conditions ?? []).find((condition) => condition.type === type)?.status === "True";

const MAX_INT64 = 2n ** 63n - 1n;

function checkResourceVersion(text: string, errors: FieldError[]): void {
  if (text === "") return;
  const field = "status.resourceVersion";
  const parsing = `failed to parse resource version ${JSON.stringify(text)}: strconv.ParseInt: parsing ${JSON.stringify(text)}`;
  if (!/^[-+]?[0-9]{1,40}$/.test(text)) errors.push(invalid(field, text, `${parsing}: invalid syntax`));
  else if (BigInt(text) > MAX_INT64) errors.push(invalid(field, text, `${parsing}: value out of range`));
  else if (BigInt(text) < 0n) errors.push(invalid(field, BigInt(text), NOT_NEGATIVE));
}

function checkConditions(conditions: readonly MigrationCondition[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach((condition, index) => {
    const at = `status.conditions[${index}]`;
    const { type } = condition;
    if (seen.has(type)) errors.push(duplicate(`${at}.type`, type));
    seen.add(type);
    checkFields(condition, migrationCondition, at, errors, ["type", "status"]);
    // Upstream names the field of later versions.
    if (condition.lastUpdateTime === null) errors.push(required(`${at}.lastTransitionTime`));
    checkFields(condition, migrationCondition, at, errors, ["reason", "message"]);
  });
}
