// A minimal valid object of every kind that can be created.

import { generateKeyPairSync } from "node:crypto";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import type { Kind } from "../../src/kinds/define-kind.ts";
import type { Names } from "../../src/meta/names.ts";
import { certificateRequestPem } from "./certificate-request.testing.ts";

/** The kinds of which objects can be created. */
export const CREATABLE_KINDS = ALL_KINDS.filter((kind) => kind.resource !== "" && kind.verbs.includes("create"));

/** Those whose objects are stored. */
export const STORED_KINDS = CREATABLE_KINDS.filter((kind) => !kind.virtual);

export interface MinimalObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Reviews have no name. */
  readonly metadata: { readonly name?: string };
}

/** Namespaced ones belong into `KINDS_NAMESPACE`. */
export function minimalObject(kind: Kind, names: Names): MinimalObject {
  return {
    apiVersion: apiVersionOf(kind, names),
    kind: kind.kind,
    metadata: kind.kind.endsWith("Review") ? {} : { name: nameOf(kind) },
    ...eventFields(kind),
    ...MINIMAL[kind.kind]?.(names),
  };
}

function nameOf({ kind, group, version }: Kind): string {
  // Events of both groups are the same objects.
  return NAMES[kind] ?? `${kind.toLowerCase()}-${kind === "Event" ? group : ""}${version}`;
}

export const KINDS_NAMESPACE = "kinds";

export function apiVersionOf(kind: Kind, names: Names): string {
  const group = names.group(kind.group);
  return group === "" ? kind.version : `${group}/${kind.version}`;
}

const labels = { app: "a" };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } };
const workload = { selector: { matchLabels: labels }, template };
const jobTemplate = { template: { spec: { ...template.spec, restartPolicy: "Never" } } };

const asked = { verb: "get", resource: "pods" };
const review = { user: "alice" };

/** What each kind needs beyond its name. */
const MINIMAL: Readonly<Record<string, (names: Names) => object>> = {
  LeaseCandidate: () => ({
    spec: { leaseName: "l", binaryVersion: "1.0.0", emulationVersion: "1.0.0", strategy: "OldestEmulationVersion" },
  }),
  MutatingAdmissionPolicy: () => ({
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
      },
      mutations: [
        { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/spec/nodeName"}]' } },
      ],
      reinvocationPolicy: "Never",
    },
  }),
  MutatingAdmissionPolicyBinding: () => ({ spec: { policyName: "p" } }),
  APIService: () => ({
    spec: {
      group: "g.example.com",
      version: "v1",
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: { name: "s", namespace: "n" },
      insecureSkipTLSVerify: true,
    },
  }),
  Binding: () => ({ target: { kind: "Node", name: "node-v1" } }),
  CSIDriver: () => ({ spec: {} }),
  CSINode: () => ({ spec: { drivers: [] } }),
  CSIStorageCapacity: () => ({ storageClassName: "fast" }),
  CertificateSigningRequest: () => {
    const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const request = Buffer.from(certificateRequestPem("alice", publicKey, privateKey)).toString("base64");
    return { spec: { request, signerName: "example.com/signer", usages: ["client auth"] } };
  },
  ClusterRoleBinding: (names) => ({
    roleRef: { apiGroup: names.group("rbac.authorization"), kind: "ClusterRole", name: "view" },
  }),
  ControllerRevision: () => ({ revision: 1, data: { a: 1 } }),
  CronJob: () => ({ spec: { schedule: "* * * * *", jobTemplate: { spec: jobTemplate } } }),
  CustomResourceDefinition: () => ({
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "things", kind: "Thing" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  }),
  DaemonSet: () => ({ spec: workload }),
  Deployment: () => ({ spec: workload }),
  DeviceClass: () => ({ spec: {} }),
  EndpointSlice: () => ({ addressType: "IPv4", endpoints: [] }),
  Event: () => ({}),
  FlowSchema: () => ({ spec: { priorityLevelConfiguration: { name: "exempt" } } }),
  HorizontalPodAutoscaler: () => ({
    spec: { maxReplicas: 1, scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" } },
  }),
  IPAddress: () => ({ spec: { parentRef: { resource: "services", name: "s", namespace: "n" } } }),
  Ingress: () => ({ spec: { defaultBackend: { service: { name: "s", port: { number: 80 } } } } }),
  IngressClass: () => ({ spec: { controller: "example.com/c" } }),
  Job: () => ({ spec: jobTemplate }),
  Lease: () => ({ spec: {} }),
  LocalSubjectAccessReview: () => ({
    spec: { ...review, resourceAttributes: { ...asked, namespace: KINDS_NAMESPACE } },
  }),
  NetworkPolicy: () => ({ spec: { podSelector: {} } }),
  PersistentVolume: () => ({
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } },
  }),
  PersistentVolumeClaim: () => ({
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  }),
  Pod: () => ({ spec: template.spec }),
  PodDisruptionBudget: () => ({ spec: { selector: { matchLabels: labels } } }),
  PodTemplate: () => ({ template }),
  PriorityClass: () => ({ value: 1 }),
  PriorityLevelConfiguration: () => ({ spec: { type: "Limited", limited: { limitResponse: { type: "Reject" } } } }),
  ReplicaSet: () => ({ spec: workload }),
  ReplicationController: () => ({ spec: { selector: labels, template } }),
  ResourceClaim: () => ({ spec: {} }),
  ResourceClaimTemplate: () => ({ spec: { spec: {} } }),
  ResourceSlice: () => ({
    spec: { driver: "d.example.com", nodeName: "n", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
  }),
  RoleBinding: (names) => ({
    roleRef: { apiGroup: names.group("rbac.authorization"), kind: "ClusterRole", name: "view" },
  }),
  RuntimeClass: () => ({ handler: "h" }),
  SelfSubjectAccessReview: () => ({ spec: { resourceAttributes: asked } }),
  SelfSubjectRulesReview: () => ({ spec: { namespace: KINDS_NAMESPACE } }),
  Service: () => ({ spec: { ports: [{ port: 80 }] } }),
  ServiceCIDR: () => ({ spec: { cidrs: ["192.0.2.0/24"] } }),
  StatefulSet: () => ({ spec: { ...workload, serviceName: "s" } }),
  StorageClass: () => ({ provisioner: "example.com/p" }),
  SubjectAccessReview: () => ({ spec: { ...review, resourceAttributes: asked } }),
  TokenReview: () => ({ spec: { token: "t" } }),
  ValidatingAdmissionPolicy: () => ({
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["none"] }],
      },
      validations: [{ expression: "true" }],
    },
  }),
  ValidatingAdmissionPolicyBinding: () => ({ spec: { policyName: "p", validationActions: ["Deny"] } }),
  VolumeAttachment: () => ({
    spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "pv" } },
  }),
  VolumeAttributesClass: () => ({ driverName: "d.example.com", parameters: { a: "b" } }),
};

/** Names that must have a form of their own. */
const NAMES: Readonly<Record<string, string>> = {
  APIService: "v1.g.example.com",
  Binding: "pod-v1",
  CustomResourceDefinition: "things.example.com",
  IPAddress: "192.0.2.7",
  CSIDriver: "d.example.com",
};

/** Events name what they are about, in the words of their group. */
function eventFields(kind: Kind): object {
  if (kind.kind !== "Event") return {};
  if (kind.group === "") return { involvedObject: { namespace: KINDS_NAMESPACE } };
  return {
    eventTime: "2030-01-01T00:00:00.000000Z",
    action: "a",
    reason: "r",
    type: "Normal",
    reportingController: "example.com/c",
    reportingInstance: "i",
    regarding: { namespace: KINDS_NAMESPACE },
  };
}
