// PriorityClass: a name for a priority of pods.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validatePriorityClass, validatePriorityClassUpdate } from "./priority-class-validation.ts";

export type PriorityClass = ObjectOf<typeof priorityClassSchema>;

export const priorityClassSchema = objectSchema(
  "scheduling.v1.PriorityClass",
  { doc: "A name for a priority of pods." },
  () => ({
    value: s.int32({ proto: 2 }),
    globalDefault: s.boolean({ proto: 3, optional: true }),
    description: s.string({ proto: 4, optional: true }),
    preemptionPolicy: s.enumOf(["Never", "PreemptLowerPriority"], {
      alias: "PreemptionPolicy",
      proto: 5,
      optional: true,
      pointer: true,
    }),
  }),
);

export const priorityClass = defineKind({
  group: "scheduling",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  singular: "priorityclass",
  scope: "Cluster",
  shortNames: ["pc"],
  verbs: ALL_VERBS,
  schema: priorityClassSchema,
  storagePrefix: "priorityclasses",
  unconditionalUpdate: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [
    NAME_COLUMN,
    { name: "Value", type: "integer", cell: (priority) => priority.value },
    { name: "Global-Default", type: "boolean", cell: (priority) => priority.globalDefault ?? false },
    AGE_COLUMN,
    { name: "PreemptionPolicy", type: "string", cell: (priority) => priority.preemptionPolicy ?? "" },
  ],
  hooks: {
    default(priority) {
      priority.preemptionPolicy ??= "PreemptLowerPriority";
    },
    prepareForCreate({ metadata }) {
      // It never counts further: what counts does not change.
      metadata.generation = 1;
    },
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
  },
});
