// Namespace: a scope for names and for access. Requirements: document 1, "Namespaces".

import type { Names } from "../../meta/names.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { reportMembers } from "../meta/condition.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { keepStatus, restore, restoreAllBut, statusSubresource } from "../subresources.ts";
import { validateNamespace, validateNamespaceFinalize, validateNamespaceStatus } from "./namespace-validation.ts";

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
  returnDeletedObject: true,
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
    // Upstream's namespaces end in a way of their own, which says nothing of grace.
    delete namespace.metadata.deletionGracePeriodSeconds;
  },
  hooks: {
    default(namespace, { names }) {
      namespace.status.phase ||= "Active";
      setNameLabel(namespace, names);
    },
    prepareForCreate(namespace, { names }) {
      // By now a generated name is there too.
      setNameLabel(namespace, names);
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

function setNameLabel({ metadata }: Namespace, names: Names): void {
  if (!metadata.name) return;
  metadata.labels ??= {};
  metadata.labels[names.namespaceNameLabel] = metadata.name;
}
