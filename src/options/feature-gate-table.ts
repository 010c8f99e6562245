// The feature gates of release 1.34 and their stages. Requirements: document 1, "Feature gate stages".

import { FeatureGates, type GateSpec } from "../base/feature-gates.ts";
import { type Dialect, UPSTREAM_DIALECT } from "../meta/names.ts";

// Off unless asked for.
const ALPHA = [
  "APIServingWithRoutine",
  "AllowUnsafeMalformedObjectDeletion",
  "CBORServingAndStorage",
  "CPUManagerPolicyAlphaOptions",
  "CSIVolumeHealth",
  "ClearingNominatedNodeNameAfterBinding",
  "ClientsAllowCBOR",
  "ClientsPreferCBOR",
  "CloudControllerManagerWebhook",
  "ComponentFlagz",
  "ComponentStatusz",
  "ContainerRestartRules",
  "ContainerStopSignals",
  "CrossNamespaceVolumeDataSource",
  "CustomCPUCFSQuotaPeriod",
  "DRAConsumableCapacity",
  "DRADeviceBindingConditions",
  "DRADeviceTaints",
  "DRAExtendedResource",
  "DRAPartitionableDevices",
  "DeploymentReplicaSetTerminatingReplicas",
  "EnvFiles",
  "EventedPLEG",
  "HPAConfigurableTolerance",
  "HPAScaleToZero",
  "HostnameOverride",
  "InPlacePodVerticalScalingExclusiveCPUs",
  "InPlacePodVerticalScalingExclusiveMemory",
  "InTreePluginPortworxUnregister",
  "InformerResourceVersion",
  "KubeletCrashLoopBackOffMax",
  "KubeletEnsureSecretPulledImages",
  "KubeletInUserNamespace",
  "LoggingAlphaOptions",
  "MaxUnavailableStatefulSet",
  "MemoryQoS",
  "NominatedNodeNameForExpectation",
  "PodAndContainerStatsFromCRI",
  "PodCertificateRequest",
  "PodLogsQuerySplitStreams",
  "PodTopologyLabelsAdmission",
  "PreferSameTrafficDistribution",
  "QOSReserved",
  "ReduceDefaultCrashLoopBackOffDecay",
  "RelaxedServiceNameValidation",
  "ResourceHealthStatus",
  "RuntimeClassInImageCriApi",
  "StorageCapacityScoring",
  "StorageVersionAPI",
  "StorageVersionMigrator",
  "StrictIPCIDRValidation",
  "TopologyManagerPolicyAlphaOptions",
  "UnknownVersionInteroperabilityProxy",
  "UserNamespacesPodSecurityStandards",
  "WindowsCPUAndMemoryAffinity",
] as const;

// On unless switched off.
const BETA_ON = [
  "APIResponseCompression",
  "APIServerIdentity",
  "AllowParsingUserUIDFromCertAuth",
  "CPUManagerPolicyBetaOptions",
  "ContainerCheckpoint",
  "ContextualLogging",
  "DRAAdminAccess",
  "DRAPrioritizedList",
  "DRAResourceClaimDeviceStatus",
  "DRASchedulerFilterTimeout",
  "DeclarativeValidation",
  "DetectCacheInconsistency",
  "DisableCPUQuotaWithExclusiveCPUs",
  "ExternalServiceAccountTokenSigner",
  "GracefulNodeShutdown",
  "GracefulNodeShutdownBasedOnPodPriority",
  "ImageMaximumGCAge",
  "InOrderInformers",
  "InPlacePodVerticalScaling",
  "JobManagedBy",
  "KubeletFineGrainedAuthz",
  "KubeletPSI",
  "KubeletPodResourcesDynamicResources",
  "KubeletPodResourcesGet",
  "KubeletSeparateDiskGC",
  "KubeletServiceAccountTokenForCredentialProviders",
  "ListFromCacheSnapshot",
  "LoggingBetaOptions",
  "MatchLabelKeysInPodTopologySpread",
  "MatchLabelKeysInPodTopologySpreadSelectorMerge",
  "OpenAPIEnums",
  "PodDeletionCost",
  "PodLevelResources",
  "PodObservedGenerationTracking",
  "PodReadyToStartContainersCondition",
  "PortForwardWebsockets",
  "PreventStaticPodAPIReferences",
  "ProcMountType",
  "ReloadKubeletServerCertificateFile",
  "RemoteRequestHeaderUID",
  "RotateKubeletServerCertificate",
  "SELinuxChangePolicy",
  "SELinuxMountReadWriteOncePod",
  "SchedulerAsyncPreemption",
  "SchedulerPopFromBackoffQ",
  "ServiceAccountNodeAudienceRestriction",
  "SizeBasedListCostEstimate",
  "StatefulSetSemanticRevisionComparison",
  "StorageVersionHash",
  "StructuredAuthenticationConfigurationEgressSelector",
  "SupplementalGroupsPolicy",
  "SystemdWatchdog",
  "TokenRequestServiceAccountUIDValidation",
  "TopologyManagerPolicyBetaOptions",
  "TranslateStreamCloseWebsocketRequests",
  "UnauthenticatedHTTP2DOSMitigation",
  "UserNamespacesSupport",
  "WatchList",
  "WindowsGracefulNodeShutdown",
] as const;

// Beta, but off: they need an API version that is off, or change too much.
const BETA_OFF = [
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "ConcurrentWatchObjectDecode",
  "CoordinatedLeaderElection",
  "DeclarativeValidationTakeover",
  "ImageVolume",
  "LocalStorageCapacityIsolationFSQuotaMonitoring",
  "MutableCSINodeAllocatableCount",
  "MutatingAdmissionPolicy",
  "NodeLogQuery",
  "SELinuxMount",
  "SchedulerAsyncAPICalls",
  "WatchCacheInitializationPostStartHook",
  "WatchListClient",
] as const;

// Always on: the gate has no effect any more.
const GA = [
  "APIServerTracing",
  "AnonymousAuthConfigurableEndpoints",
  "AnyVolumeDataSource",
  "AuthorizeNodeWithSelectors",
  "BtreeWatchCache",
  "CPUManagerPolicyOptions",
  "CRDValidationRatcheting",
  "CSIMigrationPortworx",
  "ConsistentListFromCache",
  "CronJobsScheduledAnnotation",
  "CustomResourceFieldSelectors",
  "DisableAllocatorDualWrite",
  "DynamicResourceAllocation",
  "ExecProbeTimeout",
  "HonorPVReclaimPolicy",
  "JobBackoffLimitPerIndex",
  "JobPodReplacementPolicy",
  "JobSuccessPolicy",
  "KubeletCgroupDriverFromCRI",
  "KubeletTracing",
  "LoadBalancerIPMode",
  "LogarithmicScaleDown",
  "MatchLabelKeysInPodAffinity",
  "MemoryManager",
  "MultiCIDRServiceAllocator",
  "NFTablesProxyMode",
  "NodeInclusionPolicyInPodTopologySpread",
  "NodeSwap",
  "OrderedNamespaceDeletion",
  "PodIndexLabel",
  "PodLifecycleSleepAction",
  "PodLifecycleSleepActionAllowZero",
  "PodSchedulingReadiness",
  "ProbeHostPodSecurityStandards",
  "RecoverVolumeExpansionFailure",
  "RecursiveReadOnlyMounts",
  "RelaxedDNSSearchValidation",
  "RelaxedEnvironmentVariableValidation",
  "ResilientWatchCacheInitialization",
  "RetryGenerateName",
  "SchedulerQueueingHints",
  "SeparateTaintEvictionController",
  "ServiceAccountTokenJTI",
  "ServiceAccountTokenNodeBinding",
  "ServiceAccountTokenNodeBindingValidation",
  "ServiceAccountTokenPodNodeInfo",
  "ServiceTrafficDistribution",
  "SidecarContainers",
  "SizeMemoryBackedVolumes",
  "StatefulSetAutoDeletePVC",
  "StreamingCollectionEncodingToJSON",
  "StreamingCollectionEncodingToProtobuf",
  "StrictCostEnforcementForVAP",
  "StrictCostEnforcementForWebhooks",
  "StructuredAuthenticationConfiguration",
  "StructuredAuthorizationConfiguration",
  "TopologyAwareHints",
  "TopologyManagerPolicyOptions",
  "VolumeAttributesClass",
  "WinDSR",
  "WinOverlay",
] as const;

// On, and going away.
const DEPRECATED_ON = [
  "AggregatedDiscoveryRemoveBetaType",
  "DisableNodeKubeProxyVersion",
  "KubeletPodResourcesListUseActivePods",
  "StorageNamespaceIndex",
] as const;

// Off, and going away.
const DEPRECATED_OFF = [
  "AllowDNSOnlyNodeCSR",
  "AllowInsecureKubeletCertificateSigningRequests",
  "AllowOverwriteTerminationGracePeriodSeconds",
  "GitRepoVolumeDriver",
  "InPlacePodVerticalScalingAllocatedStatus",
  "KMSv1",
  "KubeletRegistrationGetOnExistsOnly",
  "SeparateCacheWatchRPC",
  "WindowsHostNetwork",
] as const;

/** Documents call them a matter of choice: they can be switched off. */
const GA_BY_CHOICE = ["AuthorizeWithSelectors"] as const;

// Off for good.
const DEPRECATED_LOCKED_OFF = ["AllowServiceLBStatusOnNonLB", "WatchFromStorageWithoutResourceVersion"] as const;

export type GateName =
  | (typeof ALPHA)[number]
  | (typeof BETA_ON)[number]
  | (typeof BETA_OFF)[number]
  | (typeof GA)[number]
  | (typeof GA_BY_CHOICE)[number]
  | (typeof DEPRECATED_ON)[number]
  | (typeof DEPRECATED_OFF)[number]
  | (typeof DEPRECATED_LOCKED_OFF)[number];

const GATES: ReadonlyMap<GateName, GateSpec> = new Map<GateName, GateSpec>([
  ...gates(ALPHA, { stage: "alpha", default: false }),
  ...gates(BETA_ON, { stage: "beta", default: true }),
  ...gates(BETA_OFF, { stage: "beta", default: false }),
  ...gates(GA, { stage: "ga", default: true, locked: true }),
  ...gates(GA_BY_CHOICE, { stage: "ga", default: true }),
  ...gates(DEPRECATED_ON, { stage: "deprecated", default: true }),
  ...gates(DEPRECATED_OFF, { stage: "deprecated", default: false }),
  ...gates(DEPRECATED_LOCKED_OFF, { stage: "deprecated", default: false, locked: true }),
  ["DeclarativeValidationTakeover", { stage: "beta", default: false, needs: "DeclarativeValidation" }],
]);

/** Where upstream is a stage ahead of the documents. */
const UPSTREAM_GATES: ReadonlyMap<GateName, GateSpec> = new Map<GateName, GateSpec>([
  ...GATES,
  ["PreferSameTrafficDistribution", { stage: "beta", default: true }],
]);

/** The gates as --feature-gates sets them. Fails with UsageError. */
export function serverGates(settings: ReadonlyMap<string, string>, dialect: Dialect): FeatureGates<GateName> {
  return new FeatureGates(dialect === UPSTREAM_DIALECT ? UPSTREAM_GATES : GATES, settings);
}

function gates<Name extends GateName>(names: readonly Name[], spec: GateSpec): [Name, GateSpec][] {
  return names.map((name) => [name, spec]);
}
