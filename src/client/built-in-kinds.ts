// Every built-in kind as clients know it: its words and, for the compiler, the type of its objects. Only words, so that a
// client does not load the rules that servers need; a test holds them against the declarations in src/kinds.

import type { MutatingAdmissionPolicy } from "../kinds/admissionregistration/mutating-admission-policy.ts";
import type { MutatingAdmissionPolicyBinding } from "../kinds/admissionregistration/mutating-admission-policy-binding.ts";
import type { MutatingWebhookConfiguration } from "../kinds/admissionregistration/mutating-webhook-configuration.ts";
import type { ValidatingAdmissionPolicy } from "../kinds/admissionregistration/validating-admission-policy.ts";
import type { ValidatingAdmissionPolicyBinding } from "../kinds/admissionregistration/validating-admission-policy-binding.ts";
import type { ValidatingWebhookConfiguration } from "../kinds/admissionregistration/validating-webhook-configuration.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import type { APIService } from "../kinds/apiregistration/api-service.ts";
import type { ControllerRevision } from "../kinds/apps/controller-revision.ts";
import type { DaemonSet } from "../kinds/apps/daemon-set.ts";
import type { Deployment } from "../kinds/apps/deployment.ts";
import type { ReplicaSet } from "../kinds/apps/replica-set.ts";
import type { StatefulSet } from "../kinds/apps/stateful-set.ts";
import type { SelfSubjectReview } from "../kinds/authentication/self-subject-review.ts";
import type { TokenReview } from "../kinds/authentication/token-review.ts";
import type { LocalSubjectAccessReview } from "../kinds/authorization/local-subject-access-review.ts";
import type { SelfSubjectAccessReview } from "../kinds/authorization/self-subject-access-review.ts";
import type { SelfSubjectRulesReview } from "../kinds/authorization/self-subject-rules-review.ts";
import type { SubjectAccessReview } from "../kinds/authorization/subject-access-review.ts";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV1 } from "../kinds/autoscaling/horizontal-pod-autoscaler-v1.ts";
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV2 } from "../kinds/autoscaling/horizontal-pod-autoscaler-v2.ts";
import type { CronJob } from "../kinds/batch/cron-job.ts";
import type { Job } from "../kinds/batch/job.ts";
import type { CertificateSigningRequest } from "../kinds/certificates/certificate-signing-request.ts";
import type { ClusterTrustBundle } from "../kinds/certificates/cluster-trust-bundle.ts";
import type { PodCertificateRequest } from "../kinds/certificates/pod-certificate-request.ts";
import type { Lease } from "../kinds/coordination/lease.ts";
import type { LeaseCandidate } from "../kinds/coordination/lease-candidate.ts";
import type { Binding } from "../kinds/core/binding.ts";
import type { ComponentStatus } from "../kinds/core/component-status.ts";
import type { ConfigMap } from "../kinds/core/config-map.ts";
import type { Endpoints } from "../kinds/core/endpoints.ts";
import type { Event } from "../kinds/core/event.ts";
import type { LimitRange } from "../kinds/core/limit-range.ts";
import type { Namespace } from "../kinds/core/namespace.ts";
import type { Node } from "../kinds/core/node.ts";
import type { PersistentVolume } from "../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../kinds/core/pod.ts";
import type { PodTemplate } from "../kinds/core/pod-template.ts";
import type { ReplicationController } from "../kinds/core/replication-controller.ts";
import type { ResourceQuota } from "../kinds/core/resource-quota.ts";
import type { Secret } from "../kinds/core/secret.ts";
import type { Service } from "../kinds/core/service.ts";
import type { ServiceAccount } from "../kinds/core/service-account.ts";
import type { EndpointSlice } from "../kinds/discovery/endpoint-slice.ts";
import type { Event as EventsEvent } from "../kinds/events/event.ts";
import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import type { PriorityLevelConfiguration } from "../kinds/flowcontrol/priority-level-configuration.ts";
import type { StorageVersion } from "../kinds/internal/storage-version.ts";
import type { Ingress } from "../kinds/networking/ingress.ts";
import type { IngressClass } from "../kinds/networking/ingress-class.ts";
import type { IPAddress } from "../kinds/networking/ip-address.ts";
import type { NetworkPolicy } from "../kinds/networking/network-policy.ts";
import type { ServiceCIDR } from "../kinds/networking/service-cidr.ts";
import type { RuntimeClass } from "../kinds/node/runtime-class.ts";
import type { PodDisruptionBudget } from "../kinds/policy/pod-disruption-budget.ts";
import type { ClusterRole } from "../kinds/rbac/cluster-role.ts";
import type { ClusterRoleBinding } from "../kinds/rbac/cluster-role-binding.ts";
import type { Role } from "../kinds/rbac/role.ts";
import type { RoleBinding } from "../kinds/rbac/role-binding.ts";
import type { DeviceClass } from "../kinds/resource/device-class.ts";
import type { DeviceTaintRule } from "../kinds/resource/device-taint-rule.ts";
import type { ResourceClaim } from "../kinds/resource/resource-claim.ts";
import type { ResourceClaimTemplate } from "../kinds/resource/resource-claim-template.ts";
import type { ResourceSlice } from "../kinds/resource/resource-slice.ts";
import type { PriorityClass } from "../kinds/scheduling/priority-class.ts";
import type { CSIDriver } from "../kinds/storage/csi-driver.ts";
import type { CSINode } from "../kinds/storage/csi-node.ts";
import type { CSIStorageCapacity } from "../kinds/storage/csi-storage-capacity.ts";
import type { StorageClass } from "../kinds/storage/storage-class.ts";
import type { VolumeAttachment } from "../kinds/storage/volume-attachment.ts";
import type { VolumeAttributesClass } from "../kinds/storage/volume-attributes-class.ts";
import type { StorageVersionMigration } from "../kinds/storagemigration/storage-version-migration.ts";
import type { GroupKey } from "../meta/names.ts";
import type { BuiltInKind } from "./resources/resource-type.ts";

/** By group and version: `kinds.core.v1.pods`. The accessor in lower case is the resource. */
export const kinds = {
  core: {
    v1: kindsOf("", "v1", {
      bindings: namespaced<Binding>("Binding"),
      componentStatuses: cluster<ComponentStatus>("ComponentStatus"),
      configMaps: namespaced<ConfigMap>("ConfigMap"),
      endpoints: namespaced<Endpoints>("Endpoints"),
      events: namespaced<Event>("Event"),
      limitRanges: namespaced<LimitRange>("LimitRange"),
      namespaces: cluster<Namespace>("Namespace"),
      nodes: cluster<Node>("Node"),
      persistentVolumeClaims: namespaced<PersistentVolumeClaim>("PersistentVolumeClaim"),
      persistentVolumes: cluster<PersistentVolume>("PersistentVolume"),
      pods: namespaced<Pod>("Pod"),
      podTemplates: namespaced<PodTemplate>("PodTemplate"),
      replicationControllers: namespaced<ReplicationController>("ReplicationController"),
      resourceQuotas: namespaced<ResourceQuota>("ResourceQuota"),
      secrets: namespaced<Secret>("Secret"),
      serviceAccounts: namespaced<ServiceAccount>("ServiceAccount"),
      services: namespaced<Service>("Service"),
    }),
  },
  apps: {
    v1: kindsOf("apps", "v1", {
      controllerRevisions: namespaced<ControllerRevision>("ControllerRevision"),
      daemonSets: namespaced<DaemonSet>("DaemonSet"),
      deployments: namespaced<Deployment>("Deployment"),
      replicaSets: namespaced<ReplicaSet>("ReplicaSet"),
      statefulSets: namespaced<StatefulSet>("StatefulSet"),
    }),
  },
  batch: {
    v1: kindsOf("batch", "v1", {
      cronJobs: namespaced<CronJob>("CronJob"),
      jobs: namespaced<Job>("Job"),
    }),
  },
  autoscaling: {
    v1: kindsOf("autoscaling", "v1", {
      horizontalPodAutoscalers: namespaced<HorizontalPodAutoscalerV1>("HorizontalPodAutoscaler"),
    }),
    v2: kindsOf("autoscaling", "v2", {
      horizontalPodAutoscalers: namespaced<HorizontalPodAutoscalerV2>("HorizontalPodAutoscaler"),
    }),
  },
  policy: {
    v1: kindsOf("policy", "v1", {
      podDisruptionBudgets: namespaced<PodDisruptionBudget>("PodDisruptionBudget"),
    }),
  },
  networking: {
    v1: kindsOf("networking", "v1", {
      ingressClasses: cluster<IngressClass>("IngressClass"),
      ingresses: namespaced<Ingress>("Ingress"),
      ipAddresses: cluster<IPAddress>("IPAddress"),
      networkPolicies: namespaced<NetworkPolicy>("NetworkPolicy"),
      serviceCIDRs: cluster<ServiceCIDR>("ServiceCIDR"),
    }),
  },
  discovery: {
    v1: kindsOf("discovery", "v1", {
      endpointSlices: namespaced<EndpointSlice>("EndpointSlice"),
    }),
  },
  events: {
    v1: kindsOf("events", "v1", {
      events: namespaced<EventsEvent>("Event"),
    }),
  },
  coordination: {
    v1: kindsOf("coordination", "v1", {
      leases: namespaced<Lease>("Lease"),
    }),
    v1beta1: kindsOf("coordination", "v1beta1", {
      leaseCandidates: namespaced<LeaseCandidate>("LeaseCandidate"),
    }),
  },
  rbac: {
    v1: kindsOf("rbac.authorization", "v1", {
      clusterRoleBindings: cluster<ClusterRoleBinding>("ClusterRoleBinding"),
      clusterRoles: cluster<ClusterRole>("ClusterRole"),
      roleBindings: namespaced<RoleBinding>("RoleBinding"),
      roles: namespaced<Role>("Role"),
    }),
  },
  storage: {
    v1: kindsOf("storage", "v1", {
      csiDrivers: cluster<CSIDriver>("CSIDriver"),
      csiNodes: cluster<CSINode>("CSINode"),
      csiStorageCapacities: namespaced<CSIStorageCapacity>("CSIStorageCapacity"),
      storageClasses: cluster<StorageClass>("StorageClass"),
      volumeAttachments: cluster<VolumeAttachment>("VolumeAttachment"),
      volumeAttributesClasses: cluster<VolumeAttributesClass>("VolumeAttributesClass"),
    }),
  },
  scheduling: {
    v1: kindsOf("scheduling", "v1", {
      priorityClasses: cluster<PriorityClass>("PriorityClass"),
    }),
  },
  node: {
    v1: kindsOf("node", "v1", {
      runtimeClasses: cluster<RuntimeClass>("RuntimeClass"),
    }),
  },
  devices: {
    v1: kindsOf("resource", "v1", {
      deviceClasses: cluster<DeviceClass>("DeviceClass"),
      resourceClaims: namespaced<ResourceClaim>("ResourceClaim"),
      resourceClaimTemplates: namespaced<ResourceClaimTemplate>("ResourceClaimTemplate"),
      resourceSlices: cluster<ResourceSlice>("ResourceSlice"),
    }),
    v1alpha3: kindsOf("resource", "v1alpha3", {
      deviceTaintRules: cluster<DeviceTaintRule>("DeviceTaintRule"),
    }),
  },
  certificates: {
    v1: kindsOf("certificates", "v1", {
      certificateSigningRequests: cluster<CertificateSigningRequest>("CertificateSigningRequest"),
    }),
    v1alpha1: kindsOf("certificates", "v1alpha1", {
      podCertificateRequests: namespaced<PodCertificateRequest>("PodCertificateRequest"),
    }),
    v1beta1: kindsOf("certificates", "v1beta1", {
      clusterTrustBundles: cluster<ClusterTrustBundle>("ClusterTrustBundle"),
    }),
  },
  authentication: {
    v1: kindsOf("authentication", "v1", {
      selfSubjectReviews: cluster<SelfSubjectReview>("SelfSubjectReview"),
      tokenReviews: cluster<TokenReview>("TokenReview"),
    }),
  },
  authorization: {
    v1: kindsOf("authorization", "v1", {
      localSubjectAccessReviews: namespaced<LocalSubjectAccessReview>("LocalSubjectAccessReview"),
      selfSubjectAccessReviews: cluster<SelfSubjectAccessReview>("SelfSubjectAccessReview"),
      selfSubjectRulesReviews: cluster<SelfSubjectRulesReview>("SelfSubjectRulesReview"),
      subjectAccessReviews: cluster<SubjectAccessReview>("SubjectAccessReview"),
    }),
  },
  admissionregistration: {
    v1: kindsOf("admissionregistration", "v1", {
      mutatingWebhookConfigurations: cluster<MutatingWebhookConfiguration>("MutatingWebhookConfiguration"),
      validatingAdmissionPolicies: cluster<ValidatingAdmissionPolicy>("ValidatingAdmissionPolicy"),
      validatingAdmissionPolicyBindings: cluster<ValidatingAdmissionPolicyBinding>("ValidatingAdmissionPolicyBinding"),
      validatingWebhookConfigurations: cluster<ValidatingWebhookConfiguration>("ValidatingWebhookConfiguration"),
    }),
    v1beta1: kindsOf("admissionregistration", "v1beta1", {
      mutatingAdmissionPolicies: cluster<MutatingAdmissionPolicy>("MutatingAdmissionPolicy"),
      mutatingAdmissionPolicyBindings: cluster<MutatingAdmissionPolicyBinding>("MutatingAdmissionPolicyBinding"),
    }),
  },
  apiextensions: {
    v1: kindsOf("apiextensions", "v1", {
      customResourceDefinitions: cluster<CustomResourceDefinition>("CustomResourceDefinition"),
    }),
  },
  apiregistration: {
    v1: kindsOf("apiregistration", "v1", {
      apiServices: cluster<APIService>("APIService"),
    }),
  },
  flowcontrol: {
    v1: kindsOf("flowcontrol.apiserver", "v1", {
      flowSchemas: cluster<FlowSchema>("FlowSchema"),
      priorityLevelConfigurations: cluster<PriorityLevelConfiguration>("PriorityLevelConfiguration"),
    }),
  },
  internal: {
    v1alpha1: kindsOf("internal.apiserver", "v1alpha1", {
      storageVersions: cluster<StorageVersion>("StorageVersion"),
    }),
  },
  storagemigration: {
    v1alpha1: kindsOf("storagemigration", "v1alpha1", {
      storageVersionMigrations: cluster<StorageVersionMigration>("StorageVersionMigration"),
    }),
  },
} as const;

interface Words<T, Scope extends "Namespaced" | "Cluster"> extends Pick<BuiltInKind<T>, "kind" | "schema"> {
  readonly scope: Scope;
}

function namespaced<T>(kind: string): Words<T, "Namespaced"> {
  return { kind, scope: "Namespaced", schema: {} };
}

function cluster<T>(kind: string): Words<T, "Cluster"> {
  return { kind, scope: "Cluster", schema: {} };
}

type Kinds<M> = {
  readonly [K in keyof M]: M[K] extends Words<infer T, infer Scope>
    ? BuiltInKind<T> & { readonly scope: Scope }
    : never;
};

function kindsOf<M extends Readonly<Record<string, Words<unknown, "Namespaced" | "Cluster">>>>(
  group: GroupKey,
  version: string,
  words: M,
): Kinds<M> {
  const entries = Object.entries(words).map(([accessor, kind]) => {
    return [accessor, { group, version, resource: accessor.toLowerCase(), ...kind }];
  });
  return Object.fromEntries(entries) as Kinds<M>;
}
