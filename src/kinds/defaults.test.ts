// Defaults of every kind, as a table: what is given, and what is there afterwards.

import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import { mutatingAdmissionPolicy } from "./admissionregistration/mutating-admission-policy.ts";
import { mutatingAdmissionPolicyBinding } from "./admissionregistration/mutating-admission-policy-binding.ts";
import { mutatingWebhookConfiguration } from "./admissionregistration/mutating-webhook-configuration.ts";
import { validatingAdmissionPolicy } from "./admissionregistration/validating-admission-policy.ts";
import { validatingAdmissionPolicyBinding } from "./admissionregistration/validating-admission-policy-binding.ts";
import { validatingWebhookConfiguration } from "./admissionregistration/validating-webhook-configuration.ts";
import { customResourceDefinition } from "./apiextensions/custom-resource-definition.ts";
import { apiService } from "./apiregistration/api-service.ts";
import { daemonSet } from "./apps/daemon-set.ts";
import { deployment } from "./apps/deployment.ts";
import { replicaSet } from "./apps/replica-set.ts";
import { statefulSet } from "./apps/stateful-set.ts";
import { tokenRequest } from "./authentication/token-request.ts";
import { horizontalPodAutoscalerV1 } from "./autoscaling/horizontal-pod-autoscaler-v1.ts";
import { horizontalPodAutoscalerV2 } from "./autoscaling/horizontal-pod-autoscaler-v2.ts";
import { cronJob } from "./batch/cron-job.ts";
import { job } from "./batch/job.ts";
import { podCertificateRequest } from "./certificates/pod-certificate-request.ts";
import { completed, context, NOW } from "./complete.testing.ts";
import { endpoints } from "./core/endpoints.ts";
import { limitRange } from "./core/limit-range.ts";
import { namespace } from "./core/namespace.ts";
import { node } from "./core/node.ts";
import { persistentVolume } from "./core/persistent-volume.ts";
import { persistentVolumeClaim } from "./core/persistent-volume-claim.ts";
import { podTemplate } from "./core/pod-template.ts";
import { replicationController } from "./core/replication-controller.ts";
import { resourceQuota } from "./core/resource-quota.ts";
import { secret } from "./core/secret.ts";
import { service } from "./core/service.ts";
import type { Draft, Kind } from "./define-kind.ts";
import { endpointSlice } from "./discovery/endpoint-slice.ts";
import { flowSchema } from "./flowcontrol/flow-schema.ts";
import { priorityLevelConfiguration } from "./flowcontrol/priority-level-configuration.ts";
import { ingressClass } from "./networking/ingress-class.ts";
import { networkPolicy } from "./networking/network-policy.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import { clusterRoleBinding } from "./rbac/cluster-role-binding.ts";
import { roleBinding } from "./rbac/role-binding.ts";
import { deviceTaintRule } from "./resource/device-taint-rule.ts";
import { resourceClaim } from "./resource/resource-claim.ts";
import { resourceClaimTemplate } from "./resource/resource-claim-template.ts";
import { resourceSlice } from "./resource/resource-slice.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { csiDriver } from "./storage/csi-driver.ts";
import { storageClass } from "./storage/storage-class.ts";
import { volumeAttachment } from "./storage/volume-attachment.ts";

interface Case {
  readonly name: string;
  readonly run: () => void;
}

function gives<T>(what: string, kind: Kind<T>, draft: Draft<T>, expected: object): Case {
  return { name: `${kind.kind}: ${what}`, run: () => expect(completed(kind, draft)).toMatchObject(expected) };
}

const DEFAULTED_WEBHOOK = {
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
  clientConfig: { service: { port: 443 } },
  rules: [{ scope: "*" }],
};

const cases: Case[] = [
  gives(
    "type and phase of its parts",
    namespace,
    { metadata: { name: "a" } },
    {
      metadata: { labels: { "kubernetes.io/metadata.name": "a" } },
      status: { phase: "Active" },
    },
  ),
  gives(
    "the name label wins over what is given",
    namespace,
    {
      metadata: { name: "a", labels: { "kubernetes.io/metadata.name": "b" } },
    },
    { metadata: { labels: { "kubernetes.io/metadata.name": "a" } } },
  ),
  gives(
    "type, and text becomes data",
    secret,
    { data: { a: "MQ==", b: "Mg==" }, stringData: { b: "3" } },
    {
      type: "Opaque",
      data: { a: "MQ==", b: "Mw==" },
    },
  ),
  gives(
    "protocol of ports",
    endpoints,
    { subsets: [{ ports: [{ port: 1 }] }] },
    {
      subsets: [{ ports: [{ protocol: "TCP" }] }],
    },
  ),
  gives(
    "limits of containers",
    limitRange,
    {
      spec: { limits: [{ type: "Container", max: { cpu: "2" }, min: { cpu: "1", memory: "1Gi" } }] },
    },
    {
      spec: { limits: [{ default: { cpu: "2" }, defaultRequest: { cpu: "2", memory: "1Gi" } }] },
    },
  ),
  gives(
    "allocatable follows capacity, rounded up to thousandths",
    node,
    { status: { capacity: { cpu: "100500u" } } },
    {
      status: { capacity: { cpu: "101m" }, allocatable: { cpu: "101m" } },
    },
  ),
  gives(
    "the first of several ranges stands alone too",
    node,
    { spec: { podCIDRs: ["10.0.0.0/24", "fd::/64"] } },
    { spec: { podCIDR: "10.0.0.0/24" } },
  ),
  gives(
    "phase and modes",
    persistentVolume,
    { spec: { hostPath: { path: "/" } } },
    {
      spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", hostPath: { type: "" } },
      status: { phase: "Pending" },
    },
  ),
  gives(
    "phase and mode",
    persistentVolumeClaim,
    {},
    {
      spec: { volumeMode: "Filesystem" },
      status: { phase: "Pending" },
    },
  ),
  gives("the template's", podTemplate, { template: { spec: {} } }, { template: { spec: { restartPolicy: "Always" } } }),
  gives(
    "selector and labels from the template",
    replicationController,
    {
      spec: { template: { metadata: { labels: { a: "1" } } } },
    },
    { metadata: { labels: { a: "1" } }, spec: { replicas: 1, selector: { a: "1" } } },
  ),
  gives(
    "type, affinity, policies and target ports",
    service,
    { spec: { ports: [{ port: 80 }] } },
    {
      spec: {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ports: [{ protocol: "TCP", targetPort: 80 }],
      },
    },
  ),
  gives(
    "what client affinity and load balancers need",
    service,
    {
      spec: { type: "LoadBalancer", sessionAffinity: "ClientIP" },
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "h" }] } },
    },
    {
      spec: {
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10800 } },
        externalTrafficPolicy: "Cluster",
        allocateLoadBalancerNodePorts: true,
      },
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", ipMode: "VIP" }, { hostname: "h" }] } },
    },
  ),
  gives(
    "the rolling update",
    deployment,
    {},
    {
      spec: {
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        template: { spec: { dnsPolicy: "ClusterFirst" } },
      },
    },
  ),
  gives(
    "the rolling update",
    daemonSet,
    {},
    {
      spec: {
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
    },
  ),
  gives(
    "the limits of an update that does not roll",
    daemonSet,
    { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: { maxSurge: 3 } } } },
    { spec: { updateStrategy: { type: "OnDelete", rollingUpdate: { maxUnavailable: 0, maxSurge: 3 } } } },
  ),
  gives("one replica", replicaSet, {}, { spec: { replicas: 1 } }),
  gives(
    "order, updates, retention and claims",
    statefulSet,
    { spec: { volumeClaimTemplates: [{}] } },
    {
      spec: {
        replicas: 1,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        revisionHistoryLimit: 10,
        volumeClaimTemplates: [
          {
            kind: "PersistentVolumeClaim",
            apiVersion: "v1",
            spec: { volumeMode: "Filesystem" },
            status: { phase: "Pending" },
          },
        ],
      },
    },
  ),
  gives(
    "one completion",
    job,
    { spec: { template: { metadata: { labels: { a: "1" } } } } },
    {
      metadata: { labels: { a: "1" } },
      spec: {
        completions: 1,
        parallelism: 1,
        backoffLimit: 6,
        completionMode: "NonIndexed",
        suspend: false,
        manualSelector: false,
        podReplacementPolicy: "TerminatingOrFailed",
      },
    },
  ),
  gives(
    "limits per index and failure policies",
    job,
    {
      spec: {
        parallelism: 2,
        backoffLimitPerIndex: 1,
        podFailurePolicy: { rules: [{ onPodConditions: [{ type: "T" }] }] },
      },
    },
    {
      spec: {
        backoffLimit: 2147483647,
        podReplacementPolicy: "Failed",
        podFailurePolicy: { rules: [{ onPodConditions: [{ status: "True" }] }] },
      },
    },
  ),
  gives(
    "history and concurrency",
    cronJob,
    {},
    {
      spec: { concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 },
    },
  ),
  gives("one replica", horizontalPodAutoscalerV1, {}, { spec: { minReplicas: 1 } }),
  gives(
    "a metric and the behavior",
    horizontalPodAutoscalerV2,
    { spec: { behavior: { scaleUp: { selectPolicy: "Min" } } } },
    {
      spec: {
        minReplicas: 1,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: "Min",
            policies: [
              { type: "Pods", value: 4, periodSeconds: 15 },
              { type: "Percent", value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
        },
      },
    },
  ),
  gives(
    "policies, selectors, timeout, port and scope",
    validatingWebhookConfiguration,
    {
      webhooks: [{ clientConfig: { service: { namespace: "n", name: "s" } }, rules: [{}] }],
    },
    {
      webhooks: [
        {
          ...DEFAULTED_WEBHOOK,
        },
      ],
    },
  ),
  gives(
    "that it is called once",
    mutatingWebhookConfiguration,
    { webhooks: [{ clientConfig: { service: { namespace: "n", name: "s" } }, rules: [{}] }] },
    {
      webhooks: [
        {
          reinvocationPolicy: "Never",
          ...DEFAULTED_WEBHOOK,
        },
      ],
    },
  ),
  gives(
    "failure and matching",
    validatingAdmissionPolicy,
    { spec: { matchConstraints: { resourceRules: [{}] } } },
    {
      spec: {
        failurePolicy: "Fail",
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ scope: "*" }],
        },
      },
    },
  ),
  gives(
    "matching",
    validatingAdmissionPolicyBinding,
    { spec: { matchResources: {} } },
    {
      spec: { matchResources: { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} } },
    },
  ),
  gives("an hour", tokenRequest, {}, { spec: { expirationSeconds: 3600 } }),
  gives(
    "name and protocol of ports",
    endpointSlice,
    { ports: [{ port: 1 }] },
    {
      ports: [{ name: "", protocol: "TCP" }],
    },
  ),
  gives("precedence", flowSchema, {}, { spec: { matchingPrecedence: 1000 } }),
  gives(
    "shares and queues",
    priorityLevelConfiguration,
    {
      spec: { type: "Limited", limited: { limitResponse: { type: "Queue", queuing: {} } } },
    },
    {
      spec: {
        limited: {
          nominalConcurrencyShares: 30,
          lendablePercent: 0,
          limitResponse: { queuing: { queues: 64, handSize: 8, queueLengthLimit: 50 } },
        },
      },
    },
  ),
  gives(
    "no shares where exempt",
    priorityLevelConfiguration,
    { spec: { type: "Exempt", exempt: {} } },
    {
      spec: { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
    },
  ),
  gives(
    "both directions when there are egress rules",
    networkPolicy,
    { spec: { egress: [{ ports: [{ port: 1 }] }] } },
    {
      spec: { policyTypes: ["Ingress", "Egress"], egress: [{ ports: [{ protocol: "TCP" }] }] },
    },
  ),
  gives("ingress alone otherwise", networkPolicy, {}, { spec: { policyTypes: ["Ingress"] } }),
  gives(
    "scope of parameters",
    ingressClass,
    { spec: { parameters: { kind: "K", name: "n" } } },
    {
      spec: { parameters: { scope: "Cluster" } },
    },
  ),
  gives(
    "groups of role and subjects",
    clusterRoleBinding,
    {
      roleRef: { kind: "ClusterRole", name: "r" },
      subjects: [{ kind: "User", name: "u" }],
    },
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io" },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io" }],
    },
  ),
  gives(
    "exactly one device",
    resourceClaim,
    { spec: { devices: { requests: [{ exactly: {} }] } } },
    {
      spec: { devices: { requests: [{ exactly: { allocationMode: "ExactCount", count: 1 } }] } },
    },
  ),
  gives(
    "the claim's",
    resourceClaimTemplate,
    {
      spec: { spec: { devices: { requests: [{ firstAvailable: [{ allocationMode: "All" }, {}] }] } } },
    },
    {
      spec: { spec: { devices: { requests: [{ firstAvailable: [{ allocationMode: "All" }, { count: 1 }] }] } } },
    },
  ),
  gives(
    "when a taint came",
    resourceSlice,
    { spec: { devices: [{ taints: [{ key: "k" }] }] } },
    {
      spec: { devices: [{ taints: [{ timeAdded: NOW }] }] },
    },
  ),
  gives("preemption", priorityClass, {}, { preemptionPolicy: "PreemptLowerPriority" }),
  gives("reclaiming and binding", storageClass, {}, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" }),
  gives(
    "what drivers do",
    csiDriver,
    {},
    {
      spec: {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        fsGroupPolicy: "ReadWriteOnceWithFSType",
        volumeLifecycleModes: ["Persistent"],
        requiresRepublish: false,
        seLinuxMount: false,
      },
    },
  ),
  gives(
    "those of a volume that is described in place",
    volumeAttachment,
    {
      spec: {
        source: {
          inlineVolumeSpec: { capacity: { storage: "100500u" }, hostPath: { path: "/" }, rbd: {}, azureDisk: {} },
        },
      },
    },
    {
      spec: {
        source: {
          inlineVolumeSpec: {
            capacity: { storage: "101m" },
            hostPath: { type: "" },
            rbd: { pool: "rbd", user: "admin", keyring: "/etc/ceph/keyring" },
            azureDisk: { cachingMode: "ReadWrite", fsType: "ext4", readOnly: false, kind: "Shared" },
          },
        },
      },
    },
  ),
  gives(
    "names, conversion and stored version",
    customResourceDefinition,
    {
      spec: { names: { kind: "Thing", plural: "things" }, versions: [{ name: "v1" }, { name: "v2", storage: true }] },
    },
    {
      spec: { names: { singular: "thing", listKind: "ThingList" }, conversion: { strategy: "None" } },
      status: { storedVersions: ["v2"] },
    },
  ),
  gives(
    "whole amounts",
    resourceQuota,
    { spec: { hard: { cpu: "0.0005", pods: "1" } } },
    { spec: { hard: { cpu: "1m", pods: "1" } } },
  ),
  gives(
    "its amounts as they are, other than a pod",
    runtimeClass,
    { overhead: { podFixed: { cpu: "100u" } } },
    { overhead: { podFixed: { cpu: "100u" } } },
  ),
  gives(
    "the groups that it means",
    roleBinding,
    { roleRef: { kind: "Role", name: "r" }, subjects: [{ kind: "User", name: "u" }] },
    {
      roleRef: { apiGroup: "rbac.authorization.k8s.io" },
      subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "u" }],
    },
  ),
  gives("a day", podCertificateRequest, {}, { spec: { maxExpirationSeconds: 86400 } }),
  gives("when it began", deviceTaintRule, { spec: { taint: { key: "k" } } }, { spec: { taint: { timeAdded: NOW } } }),
  gives(
    "failure, and what it matches",
    mutatingAdmissionPolicy,
    { spec: { matchConstraints: {} } },
    {
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} },
      },
    },
  ),
  gives(
    "what it matches",
    mutatingAdmissionPolicyBinding,
    { spec: { matchResources: { resourceRules: [{}] } } },
    { spec: { matchResources: { matchPolicy: "Equivalent", resourceRules: [{ scope: "*" }] } } },
  ),
  gives(
    "the port",
    apiService,
    { spec: { service: { namespace: "n", name: "s" } } },
    {
      spec: { service: { port: 443 } },
    },
  ),
];

describe("defaults", () => {
  it.each(cases)("$name", ({ run }) => run());

  it("name groups in the dialect of the server", () => {
    const draft = { roleRef: { kind: "ClusterRole", name: "r" } };
    const binding = completed(clusterRoleBinding, draft, { ...context, names: namesFor("platform") });
    expect(binding.roleRef.apiGroup).toBe("rbac.authorization.platform.io");
  });

  it("change nothing the second time", () => {
    for (const kind of [deployment, statefulSet, job, service, horizontalPodAutoscalerV2] as Kind[]) {
      const once = completed(kind, {});
      expect(completed(kind, structuredClone(once))).toEqual(once);
    }
  });
});
