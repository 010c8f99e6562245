// Deployment: rolls out pods and new versions of them.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { selectorCell, selectorText } from "../cells/selectors.ts";
import { containerColumns } from "../cells/workloads.ts";
import { defaultPodTemplate } from "../core/pod-defaults.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { Deployment } from "./deployment-schema.ts";
import { deploymentSchema } from "./deployment-schema.ts";
import {
  validateDeployment,
  validateDeploymentStatus,
  validateDeploymentUpdate,
  warnDeployment,
} from "./deployment-validation.ts";

export type { Deployment } from "./deployment-schema.ts";

export const deployment = defineKind({
  group: "apps",
  version: "v1",
  kind: "Deployment",
  resource: "deployments",
  scope: "Namespaced",
  shortNames: ["deploy"],
  categories: ["all"],
  schema: deploymentSchema,
  unconditionalUpdate: true,
  generation: "andAnnotations",
  columns: [
    NAME_COLUMN,
    { name: "Ready", type: "string", cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}` },
    { name: "Up-to-date", type: "string", cell: ({ status }) => status.updatedReplicas ?? 0 },
    { name: "Available", type: "string", cell: ({ status }) => status.availableReplicas ?? 0 },
    AGE_COLUMN,
    ...containerColumns<Deployment>((deployment) => deployment.spec.template),
    { name: "Selector", type: "string", priority: 1, cell: (deployment) => selectorCell(deployment.spec.selector) },
  ],
  subresources: {
    scale: {
      type: "scale",
      verbs: ["get", "patch", "update"],
      specReplicasPath: ".spec.replicas",
      statusReplicasPath: ".status.replicas",
      selector: (deployment) => selectorText(deployment.spec.selector),
    },
    status: {
      ...statusSubresource<Deployment>({ keepLabels: true, resetFields: [["spec"], ["metadata", "labels"]] }),
      validateUpdate: validateDeploymentStatus,
    },
  },
  hooks: {
    default({ spec }, context) {
      spec.replicas ??= 1;
      spec.strategy.type ||= "RollingUpdate";
      if (spec.strategy.type === "RollingUpdate") {
        spec.strategy.rollingUpdate ??= {};
        spec.strategy.rollingUpdate.maxUnavailable ??= "25%";
        spec.strategy.rollingUpdate.maxSurge ??= "25%";
      }
      spec.revisionHistoryLimit ??= 10;
      spec.progressDeadlineSeconds ??= 600;
      defaultPodTemplate(spec.template, context);
    },
    prepareForCreate(deployment) {
      deployment.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: (deployment, context) => validateDeployment(deployment, context),
    validateUpdate: validateDeploymentUpdate,
    warn: warnDeployment,
  },
});
