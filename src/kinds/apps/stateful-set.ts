// StatefulSet: runs pods with stable names and storage of their own.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { rowFields } from "../cells/row-fields.ts";
import { selectorText } from "../cells/selectors.ts";
import { containerColumns, containerFields } from "../cells/workloads.ts";
import { defaultClaimSpec } from "../core/persistent-volume-claim/defaults.ts";
import { defaultPodTemplate } from "../core/pod/defaults.ts";
import { defineKind, type HookContext, type Work } from "../define-kind.ts";
import { keepStatus, scaleSubresource, statusSubresource } from "../subresources.ts";
import { type StatefulSet, statefulSetSchema } from "./stateful-set-schema.ts";
import {
  validateStatefulSet,
  validateStatefulSetStatus,
  validateStatefulSetUpdate,
  warnStatefulSet,
} from "./stateful-set-validation.ts";

export type { StatefulSet } from "./stateful-set-schema.ts";

export const statefulSet = defineKind({
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  resource: "statefulsets",
  scope: "Namespaced",
  shortNames: ["sts"],
  categories: ["all"],
  schema: statefulSetSchema,
  unconditionalUpdate: true,
  generation: true,
  name: "dns1123Label",
  rowFields: rowFields("spec.replicas", ...containerFields("spec.template.spec"), "status.readyReplicas"),
  columns: [
    NAME_COLUMN,
    { name: "Ready", type: "string", cell: ({ spec, status }) => `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}` },
    AGE_COLUMN,
    ...containerColumns<StatefulSet>((set) => set.spec.template),
  ],
  subresources: {
    scale: scaleSubresource<StatefulSet>(({ spec }) => selectorText(spec.selector)),
    status: { ...statusSubresource<StatefulSet>(), validateUpdate: validateStatefulSetStatus },
  },
  hooks: {
    default: defaultStatefulSet,
    prepareForCreate(set) {
      set.status = { replicas: 0, availableReplicas: 0 };
    },
    prepareForUpdate: keepStatus,
    validate: validateStatefulSet,
    validateUpdate: validateStatefulSetUpdate,
    warn: warnStatefulSet,
  },
});

function defaultStatefulSet({ spec }: StatefulSet, context: HookContext): Work {
  spec.podManagementPolicy ||= "OrderedReady";
  // Who names the strategy says all about it.
  if (!spec.updateStrategy.type) spec.updateStrategy.rollingUpdate ??= {};
  spec.updateStrategy.type ||= "RollingUpdate";
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type === "RollingUpdate" && rollingUpdate) {
    rollingUpdate.partition ??= 0;
    if (context.gateEnabled("MaxUnavailableStatefulSet")) rollingUpdate.maxUnavailable ??= 1;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind = "PersistentVolumeClaim";
    claim.apiVersion = "v1";
    defaultClaimSpec(claim.spec);
    claim.status.phase ||= "Pending";
  }
  return defaultPodTemplate(spec.template, context);
}
