// Namespace: a scope for names and for access. Requirements: document 1, "Namespaces".

import { withMembers } from "../../base/json-in-steps.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { Names } from "../../meta/names.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext, type ObjectOf } from "../define-kind.ts";
import { reportMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";
import { keepStatus, restore, restoreAllBut, statusSubresource } from "../subresources.ts";

export type Namespace = ObjectOf<typeof namespaceSchema>;

const namespaceSchema = objectSchema("core.v1.Namespace", "A scope for names and for access.", () => ({
  spec: opt.of(namespaceSpec, 2, "What the namespace shall be."),
  status: opt.of(namespaceStatus, 3, "What became of the namespace."),
}));

const namespaceSpec = s.struct("core.v1.NamespaceSpec", "What a namespace shall be.", () => ({
  finalizers: opt.atomic(
    "string",
    1,
    "Who must clean up before the namespace is gone. An empty list, after deletion, removes it for good.",
    { alias: "FinalizerName" },
  ),
}));

const namespaceStatus = s.struct("core.v1.NamespaceStatus", "What became of a namespace.", () => ({
  phase: opt.enumOf(
    "NamespacePhase",
    ["Active", "Terminating"],
    1,
    "`Active`, or `Terminating` while its objects are deleted; nothing new can then be created in it.",
  ),
  conditions: opt.listBy(
    "type",
    namespaceCondition,
    2,
    "What keeps the namespace from ending, while it is being deleted.",
  ),
}));

const namespaceCondition = s.struct("core.v1.NamespaceCondition", "One aspect of the state of a namespace.", () =>
  reportMembers(
    "NamespaceConditionType",
    "What is told, for example `NamespaceContentRemaining` or `NamespaceFinalizersRemaining`.",
    4,
  ),
);

export const namespace = defineKind({
  group: "",
  version: "v1",
  kind: "Namespace",
  resource: "namespaces",
  scope: "Cluster",
  shortNames: ["ns"],
  verbs: ["create", "delete", "get", "list", "patch", "update", "watch"],
  schema: namespaceSchema,
  unconditionalUpdate: true,
  returnDeletedObject: "unpublished",
  name: "dns1123Label",
  columns: [
    NAME_COLUMN,
    { name: "Status", type: "string", cell: (namespace) => namespace.status.phase ?? "" },
    AGE_COLUMN,
  ],
  selectableFields: { "status.phase": (namespace) => namespace.status.phase ?? "" },
  subresources: {
    status: { ...statusSubresource<Namespace>(), validateUpdate: validateNamespaceStatus },
    finalize: {
      type: "object",
      verbs: ["update"],
      resetFields: [["status"]],
      prepareForUpdate: (namespace, old) => restore(namespace, old, "status"),
      validateUpdate: validateNamespaceFinalize,
    },
  },
  holdsDeletion: ({ spec }) => (spec.finalizers ?? []).length > 0,
  markEnding(namespace) {
    // A namespace ends when it is empty, not after a time.
    delete namespace.metadata.deletionGracePeriodSeconds;
    namespace.status.phase = "Terminating";
  },
  hooks: {
    *default(namespace, { names }) {
      namespace.status.phase ||= "Active";
      yield* setNameLabel(namespace, names);
    },
    *prepareForCreate(namespace, { names }) {
      // By now a generated name is there too.
      yield* setNameLabel(namespace, names);
      namespace.status = { phase: "Active" };
      const finalizers = namespace.spec.finalizers ?? [];
      namespace.spec.finalizers = finalizers;
      if (!finalizers.includes(names.namespaceFinalizer)) finalizers.push(names.namespaceFinalizer);
    },
    prepareForUpdate(namespace, old) {
      restoreAllBut(namespace, old, ["metadata"]);
      keepStatus(namespace, old);
    },
    validate: validateNamespace,
  },
});

function* setNameLabel({ metadata }: Namespace, names: Names): Steps<void> {
  if (!metadata.name) return;
  metadata.labels = yield* withMembers(metadata.labels ?? {}, { [names.namespaceNameLabel]: metadata.name });
}

function validateNamespace({ spec }: Namespace, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  for (const finalizer of spec.finalizers ?? []) checkFinalizer(finalizer, "spec.finalizers", context, errors);
  return errors;
}

/** The phase follows from whether the namespace is being deleted. */
function validateNamespaceStatus({ metadata, status }: Namespace): FieldError[] {
  const field = "status.Phase";
  const phase = status.phase ?? "";
  if (metadata.deletionTimestamp === undefined) {
    return phase === "Active" ? [] : [invalid(field, phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return phase === "Terminating"
    ? []
    : [invalid(field, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
}

function validateNamespaceFinalize(namespace: Namespace, _old: Namespace, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  (namespace.spec.finalizers ?? []).forEach((finalizer, index) => {
    checkFinalizer(finalizer, `spec.finalizers[${index}]`, context, errors);
  });
  return errors;
}

const STANDARD = ["orphan", "foregroundDeletion"];

function checkFinalizer(finalizer: string, field: string, { names }: HookContext, errors: FieldError[]): void {
  addProblems(errors, field, finalizer, qualifiedNameProblems(finalizer));
  if (finalizer.includes("/") || finalizer === names.namespaceFinalizer || STANDARD.includes(finalizer)) return;
  errors.push(invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
}
