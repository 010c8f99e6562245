// Every controller, in the order in which --help names them.

import { policyStatusController } from "./admission-policy-status/policy-status-controller.ts";
import { attachDetachController } from "./attach-detach/attach-detach-controller.ts";
import { bootstrapSigner } from "./bootstrap-token/bootstrap-signer.ts";
import { tokenCleaner } from "./bootstrap-token/token-cleaner.ts";
import { certificateApprovingController } from "./certificates/approving-controller.ts";
import { certificateCleanerController } from "./certificates/cleaner-controller.ts";
import { certificateSigningController } from "./certificates/signing-controller.ts";
import { clusterRoleAggregation } from "./cluster-role-aggregation/cluster-role-aggregation.ts";
import { cronJobController } from "./cronjob/cronjob-controller.ts";
import { daemonSetController } from "./daemonset/daemon-set-controller.ts";
import { deploymentController } from "./deployment/deployment-controller.ts";
import { deviceTaintEvictionController } from "./device-taint-eviction/device-taint-eviction-controller.ts";
import { disruptionController } from "./disruption/disruption-controller.ts";
import { endpointSliceController } from "./endpoint-slice/endpoint-slice-controller.ts";
import { endpointSliceMirroringController } from "./endpoint-slice-mirroring/endpoint-slice-mirroring-controller.ts";
import { endpointsController } from "./endpoints/endpoints-controller.ts";
import { ephemeralVolumeController } from "./ephemeral-volume/ephemeral-volume-controller.ts";
import type { ControllerDefinition } from "./framework/controller.ts";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts";
import { jobController } from "./job/job-controller.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner/legacy-token-cleaner.ts";
import { namespaceController } from "./namespace/namespace-controller.ts";
import { nodeIpamController } from "./node-ipam/node-ipam-controller.ts";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle-controller.ts";
import { nodeTtlController } from "./node-ttl/node-ttl-controller.ts";
import { podGarbageCollector } from "./pod-garbage-collector/pod-garbage-collector.ts";
import { replicaSetController, replicationController } from "./replica-set/replica-set-controller.ts";
import { resourceQuotaController } from "./resource-quota/resource-quota-controller.ts";
import { resourceClaimController } from "./resourceclaim/resource-claim-controller.ts";
import { rootCaPublisher } from "./root-ca/root-ca-publisher.ts";
import { serviceAccountController } from "./service-account/service-account-controller.ts";
import { serviceAccountTokenController } from "./service-account-token/service-account-token-controller.ts";
import { serviceCidrController } from "./service-cidr/service-cidr-controller.ts";
import { statefulSetController } from "./statefulset/stateful-set-controller.ts";
import {
  attributesClassProtection,
  claimProtection,
  volumeProtection,
} from "./storage-protection/storage-protection.ts";
import { storageVersionMigrator } from "./storage-version-migrator/storage-version-migrator.ts";
import { taintEvictionController } from "./taint-eviction/taint-eviction-controller.ts";
import { ttlAfterFinishedController } from "./ttl-after-finished/ttl-after-finished-controller.ts";
import { volumeBinderController } from "./volume-binder/volume-binder-controller.ts";
import { volumeExpanderController } from "./volume-expander/volume-expander-controller.ts";

export const ALL_CONTROLLERS: readonly ControllerDefinition[] = [
  garbageCollector,
  podGarbageCollector,
  ttlAfterFinishedController,
  claimProtection,
  volumeProtection,
  attributesClassProtection,
  namespaceController,
  resourceQuotaController,
  policyStatusController,
  serviceAccountController,
  serviceAccountTokenController,
  legacyTokenCleaner,
  rootCaPublisher,
  clusterRoleAggregation,
  certificateSigningController,
  certificateApprovingController,
  certificateCleanerController,
  bootstrapSigner,
  tokenCleaner,
  jobController,
  cronJobController,
  statefulSetController,
  daemonSetController,
  resourceClaimController,
  storageVersionMigrator,
  deploymentController,
  replicaSetController,
  replicationController,
  disruptionController,
  horizontalPodAutoscalerController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  serviceCidrController,
  nodeLifecycleController,
  taintEvictionController,
  deviceTaintEvictionController,
  nodeIpamController,
  nodeTtlController,
  attachDetachController,
  volumeBinderController,
  volumeExpanderController,
  ephemeralVolumeController,
];
