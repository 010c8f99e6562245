// PriorityClass: a name for a priority of pods.

import { opt, ptr, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validatePriorityClass, validatePriorityClassUpdate } from "./priority-class-validation.ts";

export type PriorityClass = ObjectOf<typeof priorityClassSchema>;

const priorityClassSchema = objectSchema(
  "scheduling.v1.PriorityClass",
  "A name for a priority of pods, for their field priorityClassName.",
  () => ({
    value: s.int32(
      2,
      "The priority: higher is more important, at most 1000000000 for classes made by users. Cannot change.",
    ),
    globalDefault: opt.boolean(
      3,
      "Pods that name no class get this one. Only one class may be the default; false if not set.",
    ),
    description: opt.string(4, "When to use this class, for people."),
    preemptionPolicy: ptr.enumOf(
      "PreemptionPolicy",
      ["Never", "PreemptLowerPriority"],
      5,
      "PreemptLowerPriority (the default) may end less important pods to make room; Never waits for room. Cannot change.",
    ),
  }),
);

export const priorityClass = defineKind({
  group: "scheduling",
  version: "v1",
  kind: "PriorityClass",
  resource: "priorityclasses",
  scope: "Cluster",
  shortNames: ["pc"],
  schema: priorityClassSchema,
  unconditionalUpdate: true,
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
