// ConfigMap: configuration as text or bytes, for pods and everyone else.

import { append } from "../../base/append.ts";
import { equalJsonInSteps, keysInStep } from "../../base/json-in-steps.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { keysOf } from "../../base/wide-keys.ts";
import { type FieldError, forbiddenField, invalid, tooLong, WHOLE_OBJECT } from "../../meta/field-error.ts";
import { configMapKeyProblems } from "../../meta/name-formats.ts";
import { opt, ptr } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";

export type ConfigMap = ObjectOf<typeof configMapSchema>;

const configMapSchema = objectSchema(
  "core.v1.ConfigMap",
  "Configuration as text or bytes, for pods and everyone else.",
  () => ({
    immutable: ptr.boolean(
      4,
      "When true, the data can no longer change and this cannot be taken back; metadata still can. Not set means false.",
    ),
    data: opt.map(
      "string",
      2,
      "Values as text. Keys consist of letters, digits, `-`, `_` and `.`, and must not also be in `binaryData`.",
    ),
    binaryData: opt.map(
      "bytes",
      3,
      "Values as bytes, in base64, for what is not UTF-8. Keys must not also be in `data`.",
    ),
  }),
);

export const configMap = defineKind({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  resource: "configmaps",
  scope: "Namespaced",
  judgedInSteps: true,
  shortNames: ["cm"],
  schema: configMapSchema,
  unconditionalUpdate: true,
  rowFields: rowFields("data.*", "binaryData.*"),
  columns: [NAME_COLUMN, { name: "Data", type: "string", cell: dataCount }, AGE_COLUMN],
  hooks: { validate: validateConfigMap, validateUpdate: validateConfigMapUpdate },
});

function dataCount({ data, binaryData }: ConfigMap): number {
  return keysOf(data ?? {}).length + keysOf(binaryData ?? {}).length;
}

/** The most that all values of a ConfigMap or a Secret may have together. */
export const MAX_DATA_BYTES = 1024 * 1024;

export const FROZEN = "field is immutable when `immutable` is set";

function* validateConfigMap({ data = {}, binaryData = {} }: ConfigMap): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const pace = new Pace(KEYS_PER_STEP);
  let sizeBytes = 0;
  for (const key of yield* keysInStep(data)) {
    if (pace.due()) yield;
    checkKey(errors, "data", key);
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalid(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
    sizeBytes += Buffer.byteLength(data[key]!);
  }
  for (const key of yield* keysInStep(binaryData)) {
    if (pace.due()) yield;
    checkKey(errors, "binaryData", key);
    sizeBytes += base64Length(binaryData[key]!);
  }
  if (sizeBytes > MAX_DATA_BYTES) errors.push(tooLong(WHOLE_OBJECT, MAX_DATA_BYTES));
  return errors;
}

/** So many keys are judged in one step. */
export const KEYS_PER_STEP = 1_000;

/** Nothing is made for a key that is right: one object may have tens of thousands. */
export function checkKey(errors: FieldError[], field: "data" | "binaryData", key: string): void {
  const problems = configMapKeyProblems(key);
  if (problems.length > 0) addProblems(errors, `${field}[${key}]`, key, problems);
}

function* validateConfigMapUpdate(map: ConfigMap, old: ConfigMap): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  if (old.immutable) {
    if (!map.immutable) errors.push(forbiddenField("immutable", FROZEN));
    if (!(yield* equalJsonInSteps(map.data ?? {}, old.data ?? {}))) errors.push(forbiddenField("data", FROZEN));
    if (!(yield* equalJsonInSteps(map.binaryData ?? {}, old.binaryData ?? {})))
      errors.push(forbiddenField("binaryData", FROZEN));
  }
  append(errors, yield* validateConfigMap(map));
  return errors;
}

/** How many bytes a base64 text stands for. */
export function base64Length(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text, "base64");
}
