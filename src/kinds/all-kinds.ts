// Every built-in kind, by group. Nothing is computed here: a kind costs when it is first used.

import { mutatingWebhookConfiguration } from "./admissionregistration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBinding } from "./admissionregistration/validating-admission-policy-binding.ts";
import { validatingWebhookConfiguration } from "./admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { controllerRevision } from "./apps/controller-revision.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { deployment } from "./apps/deployment.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { selfSubjectReview } from "./authentication/self-subject-review.ts";
import { tokenRequest } from "./authentication/token-request.ts";
import { tokenReview } from "./authentication/token-review.ts";
import { localSubjectAccessReview } from "./authorization/local-subject-access-review.ts";
import { selfSubjectAccessReview } from "./authorization/self-subject-access-review.ts";
import { selfSubjectRulesReview } from "./authorization/self-subject-rules-review.ts";
import { subjectAccessReview } from "./authorization/subject-access-review.ts";
import { horizontalPodAutoscalerV1 } from "./autoscaling/horizontal-pod-autoscaler-v1.ts";
import { horizontalPodAutoscalerV2 } from "./autoscaling/horizontal-pod-autoscaler-v2.ts";
import { scale } from "./autoscaling/scale.ts";
import { cronJob } from "./batch/cron-job.ts";
import { job } from "./batch/job.ts";
import { certificateSigningRequest } from "./certificates/certificate-signing-request.ts";
import { lease } from "./coordination/lease.ts";
import { binding } from "./core/binding.ts";
import { componentStatus } from "./core/component-status.ts";
import { configMap } from "./core/config-map.ts";
import {
  nodeProxyOptions,
  podAttachOptions,
  podExecOptions,
  podLogOptions,
  podPortForwardOptions,
  podProxyOptions,
  serviceProxyOptions,
} from "./core/connect-options.ts";
import { endpoints } from "./core/endpoints.ts";
import { event } from "./core/event.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { node } from "./core/node.ts";
import { persistentVolume } from "./core/persistent-volume.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { pod } from "./core/pod.ts";
import { podTemplate } from "./core/pod-template.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { secret } from "./core/secret.ts";
import { service } from "./core/service.ts";
import { serviceAccount } from "./core/service-account.ts";
import type { Kind } from "./define-kind.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { event as newEvent } from "./events/event.ts";
import { flowSchema } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level-configuration.ts";
import { ingress } from "./networking/ingress.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { ipAddress } from "./networking/ip-address.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { serviceCIDR } from "./networking/service-cidr.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import { eviction } from "./policy/eviction.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { clusterRole } from "./rbac/cluster-role.ts";
import { clusterRoleBinding } from "./rbac/cluster-role-binding.ts";
import { role } from "./rbac/role.ts";
import { roleBinding } from "./rbac/role-binding.ts";
import { deviceClass } from "./resource/device-class.ts";
import { resourceClaim } from "./resource/resource-claim.ts";
import { resourceClaimTemplate } from "./resource/resource-claim-template.ts";
import { resourceSlice } from "./resource/resource-slice.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { csiDriver } from "./storage/csi-driver.ts";
import { csiNode } from "./storage/csi-node.ts";
import { csiStorageCapacity } from "./storage/csi-storage-capacity.ts";
import { storageClass } from "./storage/storage-class.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";
import { volumeAttributesClass } from "./storage/volume-attributes-class.ts";

/** Every kind that has a resource, groups in the order of discovery, and the bodies of sub-resources. */
export const ALL_KINDS: readonly Kind[] = [
  // core
  binding,
  componentStatus,
  configMap,
  endpoints,
  event,
  limitRange,
  namespace,
  node,
  persistentVolumeClaim,
  persistentVolume,
  podTemplate,
  pod,
  replicationController,
  resourceQuota,
  secret,
  serviceAccount,
  service,
  // apiregistration
  apiService,
  // apps
  controllerRevision,
  daemonSet,
  deployment,
  replicaSet,
  statefulSet,
  // events
  newEvent,
  // authentication
  selfSubjectReview,
  tokenReview,
  // authorization
  localSubjectAccessReview,
  selfSubjectAccessReview,
  selfSubjectRulesReview,
  subjectAccessReview,
  // autoscaling
  horizontalPodAutoscalerV1,
  horizontalPodAutoscalerV2,
  // batch
  cronJob,
  job,
  // certificates
  certificateSigningRequest,
  // networking
  ingressClass,
  ingress,
  ipAddress,
  networkPolicy,
  serviceCIDR,
  // policy
  podDisruptionBudget,
  // rbac
  clusterRoleBinding,
  clusterRole,
  roleBinding,
  role,
  // storage
  csiDriver,
  csiNode,
  csiStorageCapacity,
  storageClass,
  volumeAttachment,
  volumeAttributesClass,
  // admissionregistration
  mutatingWebhookConfiguration,
  validatingAdmissionPolicyBinding,
  validatingAdmissionPolicy,
  validatingWebhookConfiguration,
  // apiextensions
  customResourceDefinition,
  // scheduling
  priorityClass,
  // coordination
  lease,
  // node
  runtimeClass,
  // discovery
  endpointSlice,
  // resource
  deviceClass,
  resourceClaimTemplate,
  resourceClaim,
  resourceSlice,
  // flowcontrol
  flowSchema,
  priorityLevelConfiguration,
  // bodies of sub-resources
  podExecOptions,
  podAttachOptions,
  podPortForwardOptions,
  podProxyOptions,
  nodeProxyOptions,
  serviceProxyOptions,
  podLogOptions,
  tokenRequest,
  scale,
  eviction,
];
