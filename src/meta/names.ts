// Names are data: every branded word of the interface, in both dialects. Nobody else spells them.
//
// `kubernetes` speaks upstream's names, `platform` the specification's. The rule between them: where upstream has
// kubernetes.io or k8s.io, the platform dialect has platform.io, prefix and rest unchanged. Words that do not follow the
// rule stand in IRREGULAR.

export type Dialect = "platform" | "kubernetes";

export const DIALECTS: readonly Dialect[] = ["platform", "kubernetes"];

/** An API group without its branded suffix: `networking` stands for networking.k8s.io or networking.platform.io. */
export type GroupKey =
  | ""
  | "apps"
  | "batch"
  | "autoscaling"
  | "policy"
  | "admission"
  | "admissionregistration"
  | "apidiscovery"
  | "apiextensions"
  | "apiregistration"
  | "apiserver.config"
  | "abac.authorization"
  | "audit"
  | "authentication"
  | "authorization"
  | "certificates"
  | "client.authentication"
  | "coordination"
  | "discovery"
  | "events"
  | "flowcontrol.apiserver"
  | "internal.apiserver"
  | "meta"
  | "networking"
  | "node"
  | "rbac.authorization"
  | "resource"
  | "scheduling"
  | "storage"
  | "storagemigration";

const GROUPS_WITHOUT_SUFFIX: ReadonlySet<GroupKey> = new Set(["", "apps", "batch", "autoscaling", "policy"]);

// Upstream's spelling of every label, annotation, type and domain that code needs; the other dialect follows the rule.
const UPSTREAM = {
  // namespaces and the objects in them
  namespaceNameLabel: "kubernetes.io/metadata.name",
  // services and slices
  serviceNameLabel: "kubernetes.io/service-name",
  headlessServiceLabel: "service.kubernetes.io/headless",
  serviceProxyNameLabel: "service.kubernetes.io/service-proxy-name",
  topologyModeAnnotation: "service.kubernetes.io/topology-mode",
  topologyAwareHintsAnnotation: "service.kubernetes.io/topology-aware-hints",
  managedByLabel: "endpointslice.kubernetes.io/managed-by",
  skipMirrorLabel: "endpointslice.kubernetes.io/skip-mirror",
  ipAddressFamilyLabel: "ipaddress.kubernetes.io/ip-family",
  ipAddressManagedByLabel: "ipaddress.kubernetes.io/managed-by",
  ipAllocatorManager: "ipallocator.k8s.io",
  loadBalancerSourceRangesAnnotation: "service.beta.kubernetes.io/load-balancer-source-ranges",
  defaultIngressClassAnnotation: "ingressclass.kubernetes.io/is-default-class",
  // secrets and service accounts
  serviceAccountTokenType: "kubernetes.io/service-account-token",
  dockercfgType: "kubernetes.io/dockercfg",
  dockerConfigJsonType: "kubernetes.io/dockerconfigjson",
  basicAuthType: "kubernetes.io/basic-auth",
  sshAuthType: "kubernetes.io/ssh-auth",
  tlsType: "kubernetes.io/tls",
  bootstrapTokenType: "bootstrap.kubernetes.io/token",
  serviceAccountNameAnnotation: "kubernetes.io/service-account.name",
  serviceAccountUidAnnotation: "kubernetes.io/service-account.uid",
  legacyTokenLastUsedLabel: "kubernetes.io/legacy-token-last-used",
  legacyTokenInvalidSinceLabel: "kubernetes.io/legacy-token-invalid-since",
  enforceMountableSecretsAnnotation: "kubernetes.io/enforce-mountable-secrets",
  privateClaim: "kubernetes.io",
  credentialIdExtra: "authentication.kubernetes.io/credential-id",
  podNameExtra: "authentication.kubernetes.io/pod-name",
  podUidExtra: "authentication.kubernetes.io/pod-uid",
  nodeNameExtra: "authentication.kubernetes.io/node-name",
  nodeUidExtra: "authentication.kubernetes.io/node-uid",
  staleTokenAuditAnnotation: "authentication.k8s.io/stale-token",
  legacyTokenAuditAnnotation: "authentication.k8s.io/legacy-token",
  issuedCredentialAuditAnnotation: "authentication.kubernetes.io/issued-credential-id",
  webSocketTokenPrefix: "base64url.bearer.authorization.k8s.io.",
  // access control
  bootstrappingLabel: "kubernetes.io/bootstrapping",
  autoupdateAnnotation: "rbac.authorization.kubernetes.io/autoupdate",
  aggregateToAdminLabel: "rbac.authorization.k8s.io/aggregate-to-admin",
  aggregateToEditLabel: "rbac.authorization.k8s.io/aggregate-to-edit",
  aggregateToViewLabel: "rbac.authorization.k8s.io/aggregate-to-view",
  metricsGroup: "metrics.k8s.io",
  customMetricsGroup: "custom.metrics.k8s.io",
  externalMetricsGroup: "external.metrics.k8s.io",
  flowControlAutoupdateAnnotation: "apf.kubernetes.io/autoupdate-spec",
  // nodes and pods
  hostnameLabel: "kubernetes.io/hostname",
  osLabel: "kubernetes.io/os",
  archLabel: "kubernetes.io/arch",
  zoneLabel: "topology.kubernetes.io/zone",
  regionLabel: "topology.kubernetes.io/region",
  notReadyTaint: "node.kubernetes.io/not-ready",
  unreachableTaint: "node.kubernetes.io/unreachable",
  unschedulableTaint: "node.kubernetes.io/unschedulable",
  nodeTaintPrefix: "node.kubernetes.io/",
  nodeRestrictionDomain: "node-restriction.kubernetes.io",
  mirrorPodAnnotation: "kubernetes.io/config.mirror",
  configSourceAnnotation: "kubernetes.io/config.source",
  configHashAnnotation: "kubernetes.io/config.hash",
  configSeenAnnotation: "kubernetes.io/config.seen",
  nodeRolePrefix: "node-role.kubernetes.io/",
  nodeRoleLabel: "kubernetes.io/role",
  // annotations and labels of pods that upstream has left behind
  seccompPodAnnotation: "seccomp.security.alpha.kubernetes.io/pod",
  seccompContainerPrefix: "container.seccomp.security.alpha.kubernetes.io/",
  appArmorContainerPrefix: "container.apparmor.security.beta.kubernetes.io/",
  tolerationsAnnotation: "scheduler.alpha.kubernetes.io/tolerations",
  criticalPodAnnotation: "scheduler.alpha.kubernetes.io/critical-pod",
  sysctlsAnnotation: "security.alpha.kubernetes.io/sysctls",
  unsafeSysctlsAnnotation: "security.alpha.kubernetes.io/unsafe-sysctls",
  podDeletionCostAnnotation: "controller.kubernetes.io/pod-deletion-cost",
  betaArchLabel: "beta.kubernetes.io/arch",
  betaOsLabel: "beta.kubernetes.io/os",
  betaRegionLabel: "failure-domain.beta.kubernetes.io/region",
  betaZoneLabel: "failure-domain.beta.kubernetes.io/zone",
  betaInstanceTypeLabel: "beta.kubernetes.io/instance-type",
  instanceTypeLabel: "node.kubernetes.io/instance-type",
  createdByLabel: "app.kubernetes.io/created-by",
  preferAvoidPodsAnnotation: "scheduler.alpha.kubernetes.io/preferAvoidPods",
  taintsAnnotation: "scheduler.alpha.kubernetes.io/taints",
  // resources and domains that are the platform's own
  ownDomain: "kubernetes.io",
  ownShortDomain: "k8s.io",
  cronJobDocs: "https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/",
  // jobs and autoscalers
  jobNameLabel: "batch.kubernetes.io/job-name",
  jobControllerUidLabel: "batch.kubernetes.io/controller-uid",
  autoscalerMetricsAnnotation: "autoscaling.alpha.kubernetes.io/metrics",
  autoscalerCurrentMetricsAnnotation: "autoscaling.alpha.kubernetes.io/current-metrics",
  autoscalerConditionsAnnotation: "autoscaling.alpha.kubernetes.io/conditions",
  autoscalerBehaviorAnnotation: "autoscaling.alpha.kubernetes.io/behavior",
  // storage
  defaultStorageClassAnnotation: "storageclass.kubernetes.io/is-default-class",
  betaDefaultStorageClassAnnotation: "storageclass.beta.kubernetes.io/is-default-class",
  betaStorageClassAnnotation: "volume.beta.kubernetes.io/storage-class",
  mountOptionsAnnotation: "volume.beta.kubernetes.io/mount-options",
  snapshotGroup: "snapshot.storage.k8s.io",
  pvcProtectionFinalizer: "kubernetes.io/pvc-protection",
  pvProtectionFinalizer: "kubernetes.io/pv-protection",
  vacProtectionFinalizer: "kubernetes.io/vac-protection",
  // audit, admission, watch
  decisionAuditAnnotation: "authorization.k8s.io/decision",
  decisionReasonAuditAnnotation: "authorization.k8s.io/reason",
  deprecatedAuditAnnotation: "k8s.io/deprecated",
  removedReleaseAuditAnnotation: "k8s.io/removed-release",
  initialEventsEndAnnotation: "k8s.io/initial-events-end",
  lastAppliedAnnotation: "kubectl.kubernetes.io/last-applied-configuration",
  // custom resources
  definitionFinalizer: "customresourcecleanup.apiextensions.k8s.io",
  apiApprovedAnnotation: "api-approved.kubernetes.io",
  protectedDomain: "k8s.io",
  protectedLongDomain: "kubernetes.io",
  podSecurityPrefix: "pod-security.kubernetes.io/",
  automanagedLabel: "kube-aggregator.kubernetes.io/automanaged",
  limitRangerAnnotation: "kubernetes.io/limit-ranger",
  serviceAccountMountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
  validationFailureAuditAnnotation: "validation.policy.admission.k8s.io/validation_failure",
  mutationWebhookAuditPrefix: "mutation.webhook.admission.k8s.io/",
  patchWebhookAuditPrefix: "patch.webhook.admission.k8s.io/",
  failedOpenMutationAuditPrefix: "failed-open.mutation.webhook.admission.k8s.io/",
  failedOpenValidationAuditPrefix: "failed-open.validation.webhook.admission.k8s.io/",
  certificateSignerDomain: "kubernetes.io",
} as const;

/** Parts of storage keys that upstream spells with its brand. Keys are the same in both dialects. */
export const STORAGE_PREFIXES = {
  customResourceDefinitions: "apiextensions.k8s.io/customresourcedefinitions",
  apiServices: "apiregistration.k8s.io/apiservices",
} as const;

// Lists of words. The labels that a node agent may set on its own node, the domains in which it may set any, and the
// domains that are reserved otherwise.
const UPSTREAM_LISTS = {
  nodeAgentLabels: [
    "kubernetes.io/hostname",
    "kubernetes.io/os",
    "kubernetes.io/arch",
    "beta.kubernetes.io/os",
    "beta.kubernetes.io/arch",
    "beta.kubernetes.io/instance-type",
    "node.kubernetes.io/instance-type",
    "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region",
  ],
  nodeAgentLabelDomains: ["kubelet.kubernetes.io", "node.kubernetes.io"],
  reservedDomains: ["kubernetes.io", "k8s.io"],
} as const;

// Where the two dialects do not differ by the rule alone: [platform, kubernetes].
const IRREGULAR = {
  namespaceFinalizer: ["platform", "kubernetes"],
  systemNamespace: ["platform-system", "kube-system"],
  publicNamespace: ["platform-public", "kube-public"],
  nodeLeaseNamespace: ["platform-node-lease", "kube-node-lease"],
  protobufMediaType: ["application/vnd.platform.protobuf", "application/vnd.kubernetes.protobuf"],
  apiService: ["platform", "kubernetes"],
  metricPrefix: ["platform", "kubernetes"],
  legacyTokenIssuer: ["platform/serviceaccount", "kubernetes/serviceaccount"],
  productName: ["The platform", "Kubernetes"],
  futureRelease: ["a future release", "a future Kubernetes release"],
  ownDomainsReserved: ["platform.io namespaces are reserved", "kubernetes.io and k8s.io namespaces are reserved"],
  ingressClassAnnotation: ["ingress.platform.io/class", "kubernetes.io/ingress.class"],
  apiApprovalCondition: ["KubernetesAPIApprovalPolicyConformant", "KubernetesAPIApprovalPolicyConformant"],
  apiApprovalGuide: [
    "https://github.com/kubernetes/enhancements/pull/1111",
    "https://github.com/kubernetes/enhancements/pull/1111",
  ],
  execInfoVariable: ["PLATFORM_EXEC_INFO", "KUBERNETES_EXEC_INFO"],
} as const;

export type Names = {
  readonly dialect: Dialect;
  /** The whole name of a group: group("networking") is networking.k8s.io or networking.platform.io. */
  group(key: GroupKey): string;
  /** The key of a whole group name, undefined for groups that are not built in. */
  groupKey(group: string): GroupKey | undefined;
  /** An identifier in upstream's spelling, said in this dialect. For tables of facts; code uses the named members. */
  spell(upstream: string): string;
} & { readonly [K in keyof typeof UPSTREAM | keyof typeof IRREGULAR]: string } & {
  readonly [K in keyof typeof UPSTREAM_LISTS]: readonly string[];
};

export function namesFor(dialect: Dialect): Names {
  const spell =
    dialect === "kubernetes"
      ? (upstream: string) => upstream
      : (upstream: string) => upstream.replace(/(^|[^a-z0-9-])(?:kubernetes|k8s)\.io/g, "$1platform.io");
  const groupNames = new Map<string, GroupKey>();
  for (const key of GROUP_KEYS) groupNames.set(groupName(key, spell), key);
  const regular = Object.fromEntries(Object.entries(UPSTREAM).map(([key, word]) => [key, spell(word)]));
  const lists = Object.fromEntries(Object.entries(UPSTREAM_LISTS).map(([key, words]) => [key, words.map(spell)]));
  const irregular = Object.fromEntries(
    Object.entries(IRREGULAR).map(([key, [platform, kubernetes]]) => [
      key,
      dialect === "platform" ? platform : kubernetes,
    ]),
  );
  return {
    ...(regular as { [K in keyof typeof UPSTREAM]: string }),
    ...(irregular as { [K in keyof typeof IRREGULAR]: string }),
    ...(lists as Record<string, readonly string[]> as { [K in keyof typeof UPSTREAM_LISTS]: readonly string[] }),
    dialect,
    spell,
    group: (key) => groupName(key, spell),
    groupKey: (group) => groupNames.get(group),
  };
}

function groupName(key: GroupKey, spell: (upstream: string) => string): string {
  if (GROUPS_WITHOUT_SUFFIX.has(key)) return key;
  // The one group with upstream's long suffix.
  return spell(key === "abac.authorization" ? `${key}.kubernetes.io` : `${key}.k8s.io`);
}

const GROUP_KEYS: readonly GroupKey[] = [
  "",
  "apps",
  "batch",
  "autoscaling",
  "policy",
  "admission",
  "admissionregistration",
  "apidiscovery",
  "apiextensions",
  "apiregistration",
  "apiserver.config",
  "abac.authorization",
  "audit",
  "authentication",
  "authorization",
  "certificates",
  "client.authentication",
  "coordination",
  "discovery",
  "events",
  "flowcontrol.apiserver",
  "internal.apiserver",
  "meta",
  "networking",
  "node",
  "rbac.authorization",
  "resource",
  "scheduling",
  "storage",
  "storagemigration",
];
