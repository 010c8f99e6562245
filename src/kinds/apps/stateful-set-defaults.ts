// Defaults of StatefulSet.

import { defaultClaimSpec } from "../core/persistent-volume-claim-defaults.ts";
import { defaultPodTemplate } from "../core/pod-defaults.ts";
import type { HookContext } from "../define-kind.ts";
import type { StatefulSet } from "./stateful-set-schema.ts";

export function defaultStatefulSet({ spec }: StatefulSet, context: HookContext): void {
  spec.podManagementPolicy ||= "OrderedReady";
  spec.updateStrategy.type ||= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.partition ??= 0;
    if (context.gateEnabled("MaxUnavailableStatefulSet")) spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= "Retain";
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  defaultPodTemplate(spec.template, context);
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.kind = "PersistentVolumeClaim";
    claim.apiVersion = "v1";
    defaultClaimSpec(claim.spec);
    claim.status.phase ||= "Pending";
  }
}
