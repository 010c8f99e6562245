// ReplicaSet: keeps a number of equal pods running.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell, selectorText } from "../cells/selectors.ts";
import { containerColumns } from "../cells/workloads.ts";
import { defaultPodTemplate } from "../core/pod-defaults.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { ReplicaSet } from "./replica-set-schema.ts";
import { replicaSetSchema } from "./replica-set-schema.ts";
import {
  validateReplicaSet,
  validateReplicaSetStatus,
  validateReplicaSetUpdate,
  warnReplicaSet,
} from "./replica-set-validation.ts";

export type { ReplicaSet } from "./replica-set-schema.ts";

export const replicaSet = defineKind({
  group: "apps",
  version: "v1",
  kind: "ReplicaSet",
  resource: "replicasets",
  scope: "Namespaced",
  shortNames: ["rs"],
  categories: ["all"],
  schema: replicaSetSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Desired", type: "integer", cell: (set) => set.spec.replicas ?? 0 },
    { name: "Current", type: "integer", cell: (set) => set.status.replicas },
    { name: "Ready", type: "integer", cell: (set) => set.status.readyReplicas ?? 0 },
    AGE_COLUMN,
    ...containerColumns<ReplicaSet>((set) => set.spec.template),
    { name: "Selector", type: "string", priority: 1, cell: (set) => selectorCell(set.spec.selector) },
  ],
  subresources: {
    scale: {
      type: "scale",
      verbs: ["get", "patch", "update"],
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      selector: (set) => selectorText(set.spec.selector),
    },
    status: { ...statusSubresource<ReplicaSet>(), validateUpdate: validateReplicaSetStatus },
  },
  hooks: {
    default({ spec }, context) {
      spec.replicas ??= 1;
      defaultPodTemplate(spec.template, context);
    },
    prepareForCreate(set) {
      set.status = { replicas: 0 };
    },
    prepareForUpdate: keepStatus,
    validate: (set, context) => validateReplicaSet(set, context),
    validateUpdate: validateReplicaSetUpdate,
    warn: warnReplicaSet,
  },
});
