// The configuration of the node agent: every field and its default. Requirements: document 3, "Node-agent local files and
// sockets", "Swap behaviour", "Limits"; where they are silent, upstream's fields and defaults.

import { PROTOBUF_MEDIA_TYPES } from "../../meta/names.ts";
import { f, type StructOf } from "../../options/config-fields.ts";
import { loggingFields } from "../../options/logging-fields.ts";

/** As the program sees it: defaults filled in, durations in milliseconds. */
export type NodeAgentConfiguration = StructOf<typeof configurationFields>;

const taint = f.struct({ key: f.string(""), value: f.string(), effect: f.string(""), timeAdded: f.string() });

/** What is reserved, evicted at and so on, by the name of a resource or signal. */
const amounts = () => f.map(f.string(""));

export const configurationFields = {
  // who is served, and how
  enableServer: f.bool(true),
  address: f.filled(f.string("0.0.0.0")),
  /** 0 is any port that is free. */
  port: f.int(10250),
  readOnlyPort: f.int(0),
  healthzPort: f.int(10248),
  healthzBindAddress: f.filled(f.string("127.0.0.1")),
  tlsCertFile: f.path(f.string()),
  tlsPrivateKeyFile: f.path(f.string()),
  tlsCipherSuites: f.list(f.string("")),
  tlsMinVersion: f.string(),
  rotateCertificates: f.bool(false),
  serverTLSBootstrap: f.bool(false),
  authentication: f.struct({
    x509: f.struct({ clientCAFile: f.path(f.string()) }),
    webhook: f.struct({ enabled: f.bool(true), cacheTTL: f.filled(f.duration("2m")) }),
    anonymous: f.struct({ enabled: f.bool(false) }),
  }),
  authorization: f.struct({
    mode: f.filled(f.choice(["Webhook", "AlwaysAllow"], "Webhook")),
    webhook: f.struct({
      cacheAuthorizedTTL: f.filled(f.duration("5m")),
      cacheUnauthorizedTTL: f.filled(f.duration("30s")),
    }),
  }),
  streamingConnectionIdleTimeout: f.filled(f.duration("4h")),
  enableDebuggingHandlers: f.bool(true),
  enableContentionProfiling: f.bool(false),
  enableProfilingHandler: f.bool(true),
  enableDebugFlagsHandler: f.bool(true),
  enableSystemLogHandler: f.bool(true),
  enableSystemLogQuery: f.bool(false),
  showHiddenMetricsForVersion: f.string(),

  // the node and its heartbeats
  registerNode: f.bool(true),
  registerWithTaints: f.list(taint),
  nodeStatusUpdateFrequency: f.filled(f.duration("10s")),
  nodeStatusReportFrequency: f.filled(f.duration("5m")),
  nodeLeaseDurationSeconds: f.filled(f.int(40)),
  nodeStatusMaxImages: f.int(50),
  maxPods: f.filled(f.int(110)),
  podsPerCore: f.int(0),
  podPidsLimit: f.int(-1),
  podCIDR: f.string(),
  providerID: f.string(),
  featureGates: f.map(f.bool(false)),

  // the container runtime
  containerRuntimeEndpoint: f.filled(f.string("unix:///run/containerd/containerd.sock")),
  imageServiceEndpoint: f.string(),
  runtimeRequestTimeout: f.filled(f.duration("2m")),
  cgroupDriver: f.filled(f.choice(["cgroupfs", "systemd"], "cgroupfs")),
  cgroupRoot: f.string(),
  cgroupsPerQOS: f.bool(true),
  kubeletCgroups: f.string(),
  systemCgroups: f.string(),
  failCgroupV1: f.bool(false),
  containerLogMaxSize: f.filled(f.string("10Mi")),
  containerLogMaxFiles: f.int(5),
  containerLogMaxWorkers: f.int(1),
  containerLogMonitorInterval: f.duration("10s"),

  // pods
  staticPodPath: f.path(f.string()),
  staticPodURL: f.string(),
  staticPodURLHeader: f.map(f.list(f.string(""))),
  podLogsDir: f.path(f.filled(f.string("/var/log/pods"))),
  syncFrequency: f.filled(f.duration("1m")),
  fileCheckFrequency: f.filled(f.duration("20s")),
  httpCheckFrequency: f.filled(f.duration("20s")),
  clusterDomain: f.string(),
  clusterDNS: f.list(f.string("")),
  resolvConf: f.path(f.string("/etc/resolv.conf")),
  hairpinMode: f.filled(f.choice(["promiscuous-bridge", "hairpin-veth", "none"], "promiscuous-bridge")),
  runOnce: f.bool(false),
  configMapAndSecretChangeDetectionStrategy: f.filled(f.choice(["Get", "Cache", "Watch"], "Watch")),
  seccompDefault: f.bool(false),
  allowedUnsafeSysctls: f.list(f.string("")),
  cpuCFSQuota: f.bool(true),
  cpuCFSQuotaPeriod: f.duration("100ms"),
  singleProcessOOMKill: f.bool(false),
  crashLoopBackOff: f.struct({ maxContainerRestartPeriod: f.duration("5m") }),
  userNamespaces: f.struct({ idsPerPod: f.int(65536) }),
  volumePluginDir: f.path(f.filled(f.string("/usr/libexec/nodeagent-plugins/volume/exec/"))),
  volumeStatsAggPeriod: f.filled(f.duration("1m")),
  enableControllerAttachDetach: f.bool(true),
  localStorageCapacityIsolation: f.bool(true),
  shutdownGracePeriod: f.duration("0s"),
  shutdownGracePeriodCriticalPods: f.duration("0s"),
  shutdownGracePeriodByPodPriority: f.list(f.struct({ priority: f.int(0), shutdownGracePeriodSeconds: f.int(0) })),

  // images
  registryPullQPS: f.int(5),
  registryBurst: f.filled(f.int(10)),
  serializeImagePulls: f.bool(true),
  maxParallelImagePulls: f.int(),
  imageMinimumGCAge: f.filled(f.duration("2m")),
  imageMaximumGCAge: f.duration("0s"),
  imageGCHighThresholdPercent: f.int(85),
  imageGCLowThresholdPercent: f.int(80),
  imagePullCredentialsVerificationPolicy: f.filled(
    f.choice(
      ["NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages", "AlwaysVerify"],
      "NeverVerifyPreloadedImages",
    ),
  ),
  preloadedImagesVerificationAllowlist: f.list(f.string("")),

  // swap and pressure
  failSwapOn: f.bool(true),
  memorySwap: f.struct({ swapBehavior: f.choice(["", "NoSwap", "LimitedSwap"], "") }),
  memoryThrottlingFactor: f.number(0.9),
  evictionHard: f.map(f.string(""), {
    "memory.available": "100Mi",
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
  }),
  evictionSoft: amounts(),
  evictionSoftGracePeriod: amounts(),
  evictionMinimumReclaim: amounts(),
  evictionPressureTransitionPeriod: f.filled(f.duration("5m")),
  evictionMaxPodGracePeriod: f.int(0),
  mergeDefaultEvictionSettings: f.bool(false),
  kernelMemcgNotification: f.bool(false),

  // what is kept from pods, and which processors and memory they get
  systemReserved: amounts(),
  kubeReserved: amounts(),
  systemReservedCgroup: f.string(),
  kubeReservedCgroup: f.string(),
  reservedSystemCPUs: f.string(),
  reservedMemory: f.list(f.struct({ numaNode: f.int(0), limits: f.map(f.string("")) })),
  enforceNodeAllocatable: f.list(f.string(""), ["pods"]),
  qosReserved: amounts(),
  cpuManagerPolicy: f.filled(f.string("none")),
  cpuManagerPolicyOptions: amounts(),
  cpuManagerReconcilePeriod: f.filled(f.duration("10s")),
  memoryManagerPolicy: f.filled(f.string("None")),
  topologyManagerPolicy: f.filled(f.string("none")),
  topologyManagerScope: f.filled(f.string("container")),
  topologyManagerPolicyOptions: amounts(),

  // the process itself
  oomScoreAdj: f.int(-999),
  maxOpenFiles: f.filled(f.int(1_000_000)),
  protectKernelDefaults: f.bool(false),
  makeIPTablesUtilChains: f.bool(true),
  iptablesMasqueradeBit: f.int(14),
  iptablesDropBit: f.int(15),
  eventRecordQPS: f.int(50),
  eventBurst: f.filled(f.int(100)),
  kubeAPIQPS: f.int(50),
  kubeAPIBurst: f.filled(f.int(100)),
  contentType: f.filled(f.choice(["application/json", ...PROTOBUF_MEDIA_TYPES], "application/json")),
  logging: f.struct(loggingFields),
  tracing: f.struct({ endpoint: f.string(), samplingRatePerMillion: f.int() }),
} as const;
