// RuntimeClass: a container runtime that pods may choose.

import { append } from "../../base/append.ts";
import { duplicate, type FieldError } from "../../meta/field-error.ts";
import { validateLabels } from "../../meta/metadata-validation.ts";
import { dns1123LabelProblems } from "../../meta/name-formats.ts";
import { opt, ptr, s } from "../../schema/builder.ts";
import { checkImmutable } from "../apps/workload-validation.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { validateTolerations } from "../core/pod/affinity-validation.ts";
import { NO_CLAIMS, validateContainerResources } from "../core/pod/resource-validation.ts";
import { toleration } from "../core/pod/toleration.ts";
import { podRules } from "../core/pod/validation-rules.ts";
import { deprecatedLabel } from "../core/pod/warnings.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";

export type RuntimeClass = ObjectOf<typeof runtimeClassSchema>;

const runtimeClassSchema = objectSchema(
  "node.v1.RuntimeClass",
  "A container runtime that pods may choose with runtimeClassName.",
  () => ({
    handler: s.string(
      2,
      "The configuration of the runtime on the nodes, by its name there: a DNS label. Cannot change.",
    ),
    overhead: ptr.of(overhead, 3, "What a pod needs beyond its containers; added to the pod when it is created."),
    scheduling: ptr.of(scheduling, 4, "Where pods of this class can run. Not set: every node is taken to support it."),
  }),
);

export const runtimeClass = defineKind({
  group: "node",
  version: "v1",
  kind: "RuntimeClass",
  resource: "runtimeclasses",
  scope: "Cluster",
  schema: runtimeClassSchema,
  freeFinalizers: true,
  createOnUpdate: true,
  columns: [NAME_COLUMN, { name: "Handler", type: "string", cell: (runtime) => runtime.handler }, AGE_COLUMN],
  hooks: {
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
    warn: warnRuntimeClass,
  },
});

const overhead = s.struct("node.v1.Overhead", "What running a pod costs beyond its containers.", () => ({
  podFixed: opt.map("quantity", 1, "Amounts for each pod, by resource; they count for scheduling and quota.", {
    alias: "ResourceList",
  }),
}));

type Scheduling = ObjectOf<typeof scheduling>;

const scheduling = s.struct(
  "node.v1.Scheduling",
  "Which nodes support a runtime, added to every pod that chooses it.",
  () => ({
    nodeSelector: opt.map(
      "string",
      1,
      "Labels that the nodes must have. Joined with the pod's own; a pod that contradicts it is refused.",
      { mapType: "atomic" },
    ),
    tolerations: opt.atomic(toleration, 2, "Taints to put up with, added to those of the pod."),
  }),
);

function validateRuntimeClass(runtime: RuntimeClass, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  addProblems(errors, "handler", runtime.handler, dns1123LabelProblems(runtime.handler));
  // Upstream judges the overhead as the limits of a container, and names it so.
  const limits = runtime.overhead?.podFixed;
  if (limits) validateContainerResources({ limits }, "overhead", NO_CLAIMS, podRules(context, false), errors);
  if (runtime.scheduling) checkScheduling(runtime.scheduling, errors);
  return errors;
}

function validateRuntimeClassUpdate(runtime: RuntimeClass, old: RuntimeClass, context: HookContext): FieldError[] {
  const errors = validateRuntimeClass(runtime, context);
  checkImmutable(runtime.handler, old.handler, "handler", errors);
  return errors;
}

function warnRuntimeClass(
  { scheduling }: RuntimeClass,
  _old: RuntimeClass | undefined,
  { names }: HookContext,
): string[] {
  return Object.keys(scheduling?.nodeSelector ?? {}).flatMap((key) => {
    const message = deprecatedLabel(key, names);
    return message === undefined ? [] : [`scheduling.nodeSelector[${key}]: ${message}`];
  });
}

function checkScheduling({ nodeSelector, tolerations = [] }: Scheduling, errors: FieldError[]): void {
  append(errors, validateLabels(nodeSelector, "scheduling.nodeSelector"));
  validateTolerations(tolerations, "scheduling.tolerations.tolerations", errors);
  const seen = new Set<string>();
  tolerations.forEach((given, index) => {
    const { key = "", operator = "", value = "", effect = "" } = given;
    const text = JSON.stringify([key, operator, value, effect]);
    if (seen.has(text)) errors.push(duplicate(`scheduling.tolerations[${index}]`, internalForm(given, toleration)));
    seen.add(text);
  });
}
