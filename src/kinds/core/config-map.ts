// ConfigMap: configuration as text or bytes, for pods and everyone else.

import { opt, ptr } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateConfigMap, validateConfigMapUpdate } from "./config-map-validation.ts";

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
  shortNames: ["cm"],
  schema: configMapSchema,
  unconditionalUpdate: true,
  columns: [NAME_COLUMN, { name: "Data", type: "string", cell: dataCount }, AGE_COLUMN],
  hooks: { validate: validateConfigMap, validateUpdate: validateConfigMapUpdate },
});

function dataCount({ data, binaryData }: ConfigMap): number {
  return Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length;
}
