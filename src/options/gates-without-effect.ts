// Feature gates that are known, because clusters set them, but that nothing here acts on yet. A server that is given one says
// so when it starts. test/house keeps this list true.

import type { FeatureGates } from "../base/feature-gates.ts";
import type { GateName } from "./feature-gate-table.ts";

export const GATES_WITHOUT_EFFECT: ReadonlySet<GateName> = new Set<GateName>([
  "APIServingWithRoutine",
  "AggregatedDiscoveryRemoveBetaType",
  "AllowDNSOnlyNodeCSR",
  "AllowInsecureKubeletCertificateSigningRequests",
  "AllowOverwriteTerminationGracePeriodSeconds",
  "CSIVolumeHealth",
  "ClientsAllowCBOR",
  "ClientsPreferCBOR",
  "CloudControllerManagerWebhook",
  "ConcurrentWatchObjectDecode",
  "ContextualLogging",
  "DRASchedulerFilterTimeout",
  "DeclarativeValidation",
  "DeclarativeValidationTakeover",
  "DetectCacheInconsistency",
  "EventedPLEG",
  "ExternalServiceAccountTokenSigner",
  "InOrderInformers",
  "InPlacePodVerticalScalingAllocatedStatus",
  "InTreePluginPortworxUnregister",
  "InformerResourceVersion",
  "KMSv1",
  "KubeletInUserNamespace",
  "KubeletPSI",
  "KubeletRegistrationGetOnExistsOnly",
  "KubeletSeparateDiskGC",
  "ListFromCacheSnapshot",
  "LocalStorageCapacityIsolationFSQuotaMonitoring",
  "LoggingAlphaOptions",
  "LoggingBetaOptions",
  "MatchLabelKeysInPodTopologySpread",
  "MatchLabelKeysInPodTopologySpreadSelectorMerge",
  "NominatedNodeNameForExpectation",
  "OpenAPIEnums",
  "PodAndContainerStatsFromCRI",
  "PodReadyToStartContainersCondition",
  "PortForwardWebsockets",
  "ReduceDefaultCrashLoopBackOffDecay",
  "RuntimeClassInImageCriApi",
  "SchedulerAsyncAPICalls",
  "SchedulerAsyncPreemption",
  "SeparateCacheWatchRPC",
  "SizeBasedListCostEstimate",
  "StorageCapacityScoring",
  "StorageNamespaceIndex",
  "StorageVersionAPI",
  "StorageVersionHash",
  "TopologyManagerPolicyAlphaOptions",
  "TranslateStreamCloseWebsocketRequests",
  "UnauthenticatedHTTP2DOSMitigation",
  "UnknownVersionInteroperabilityProxy",
  "WatchCacheInitializationPostStartHook",
  "WatchListClient",
  "WindowsCPUAndMemoryAffinity",
  "WindowsGracefulNodeShutdown",
  "WindowsHostNetwork",
]);

type ChangedGates = Pick<FeatureGates<GateName>, "changed">;

/** Those that were set to something else than their default. */
export function gatesWithoutEffect(gates: ChangedGates): string[] {
  return gates.changed.filter((name) => GATES_WITHOUT_EFFECT.has(name));
}
