// ReplicationController: keeps a number of pods running; ReplicaSet and Deployment have taken its place.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { labelsText } from "../cells/selectors.ts";
import { containerColumns } from "../cells/workloads.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { defaultPodTemplate } from "./pod-defaults.ts";
import type { ReplicationController } from "./replication-controller-schema.ts";
import { replicationControllerSchema } from "./replication-controller-schema.ts";
import {
  validateReplicationController,
  validateReplicationControllerStatus,
  validateReplicationControllerUpdate,
  warnReplicationController,
} from "./replication-controller-validation.ts";

export type { ReplicationController } from "./replication-controller-schema.ts";

export const replicationController = defineKind({
  group: "",
  version: "v1",
  kind: "ReplicationController",
  resource: "replicationcontrollers",
  scope: "Namespaced",
  shortNames: ["rc"],
  categories: ["all"],
  schema: replicationControllerSchema,
  storagePrefix: "controllers",
  unconditionalUpdate: true,
  generation: true,
  orphanByDefault: true,
  columns: [
    NAME_COLUMN,
    { name: "Desired", type: "integer", cell: (controller) => controller.spec.replicas ?? 0 },
    { name: "Current", type: "integer", cell: (controller) => controller.status.replicas },
    { name: "Ready", type: "integer", cell: (controller) => controller.status.readyReplicas ?? 0 },
    AGE_COLUMN,
    ...containerColumns<ReplicationController>(({ spec }) => spec.template ?? { spec: { containers: null } }),
    { name: "Selector", type: "string", priority: 1, cell: (controller) => labelsText(controller.spec.selector) },
  ],
  selectableFields: { "status.replicas": (controller) => String(controller.status.replicas) },
  subresources: {
    scale: {
      type: "scale",
      verbs: ["get", "patch", "update"],
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      selector: (controller) => labelsQuery(controller.spec.selector),
    },
    status: { ...statusSubresource<ReplicationController>(), validateUpdate: validateReplicationControllerStatus },
  },
  hooks: {
    default(controller, context) {
      const { spec, metadata } = controller;
      const labels = spec.template?.metadata.labels;
      if (labels !== undefined) {
        if (isEmpty(spec.selector)) spec.selector = { ...labels };
        if (isEmpty(metadata.labels)) metadata.labels = { ...labels };
      }
      spec.replicas ??= 1;
      if (spec.template) defaultPodTemplate(spec.template, context);
    },
    prepareForCreate(controller) {
      controller.status = { replicas: 0 };
    },
    prepareForUpdate: keepStatus,
    validate: (controller, context) => validateReplicationController(controller, context),
    validateUpdate: validateReplicationControllerUpdate,
    warn: warnReplicationController,
  },
});

const isEmpty = (labels: object | undefined): boolean => labels === undefined || Object.keys(labels).length === 0;
const labelsQuery = (labels: Record<string, string> | undefined): string => (isEmpty(labels) ? "" : labelsText(labels));
