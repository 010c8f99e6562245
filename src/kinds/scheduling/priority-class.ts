// PriorityClass: a name for a priority of pods.

import { type FieldError, forbiddenField } from "../../meta/field-error.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkWord } from "../meta/value-checks.ts";

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

const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_PREFIX = "system-";
const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ["system-node-critical", 2 * HIGHEST_USER_PRIORITY + 1000],
  ["system-cluster-critical", 2 * HIGHEST_USER_PRIORITY],
]);

function validatePriorityClass(priority: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  const name = priority.metadata.name ?? "";
  if (name.startsWith(SYSTEM_PREFIX)) {
    const problem = systemProblem(name, priority);
    if (problem !== undefined) {
      const rule = `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only`;
      errors.push(forbiddenField("metadata.name", `${rule}. error: ${problem}`));
    }
  } else if (priority.value > HIGHEST_USER_PRIORITY) {
    const detail = `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`;
    errors.push(forbiddenField("value", detail));
  }
  if (priority.preemptionPolicy !== undefined) {
    checkWord(errors, "preemptionPolicy", priority.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  return errors;
}

function validatePriorityClassUpdate(priority: PriorityClass, old: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  if (priority.value !== old.value) errors.push(forbiddenField("value", "may not be changed in an update."));
  checkImmutable(priority.preemptionPolicy, old.preemptionPolicy, "preemptionPolicy", errors);
  return errors;
}

function systemProblem(name: string, { value, globalDefault }: PriorityClass): string | undefined {
  const known = SYSTEM_CLASSES.get(name);
  if (known === undefined) return `${name} is not a known system priority class`;
  if (value !== known) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}
