// What must hold of the whole configuration beyond the types of its fields. Pure: every problem names its field.

import { isAbsolute, normalize } from "node:path";
import { dottedName, isSysctlPattern, sysctlNamespace } from "../../kinds/core/pod/sysctls.ts";
import { durationMs } from "../../meta/duration.ts";
import { parseIp } from "../../meta/ip.ts";
import { labelValueProblems, qualifiedNameProblems } from "../../meta/name-formats.ts";
import { parseQuantity } from "../../meta/quantity.ts";
import { socketPathOf } from "../cri/endpoint.ts";
import type { NodeAgentConfiguration } from "./configuration.ts";
import { EVICTION_SIGNALS, parseThreshold } from "./eviction-threshold.ts";
import { type Check, checkResources } from "./validate-resources.ts";

export interface ConfigProblem {
  /** As it is spelled in files. */
  readonly field: string;
  readonly problem: string;
}

export function validateConfiguration(config: NodeAgentConfiguration): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const check = (holds: boolean, field: string, problem: string) => void (holds || problems.push({ field, problem }));
  checkNumbers(config, check);
  checkServing(config, check);
  checkLogs(config, check);
  checkRuntime(config, check);
  checkResources(config, check);
  checkEviction(config, check);
  checkShutdown(config, check);
  return problems;
}

/** [field, smallest, largest] */
const RANGES = [
  ["port", 0, 65_535],
  ["readOnlyPort", 0, 65_535],
  ["healthzPort", 0, 65_535],
  ["nodeLeaseDurationSeconds", 1, 2 ** 31 - 1],
  ["nodeStatusMaxImages", -1, 2 ** 31 - 1],
  ["maxPods", 0, 2 ** 31 - 1],
  ["podsPerCore", 0, 2 ** 31 - 1],
  ["podPidsLimit", -1, Number.MAX_SAFE_INTEGER],
  ["registryPullQPS", 0, 2 ** 31 - 1],
  ["registryBurst", 0, 2 ** 31 - 1],
  ["eventRecordQPS", 0, 2 ** 31 - 1],
  ["eventBurst", 0, 2 ** 31 - 1],
  ["kubeAPIQPS", 0, 2 ** 31 - 1],
  ["kubeAPIBurst", 0, 2 ** 31 - 1],
  ["imageGCHighThresholdPercent", 0, 100],
  ["imageGCLowThresholdPercent", 0, 100],
  ["oomScoreAdj", -1_000, 1_000],
  ["maxOpenFiles", 0, Number.MAX_SAFE_INTEGER],
  ["iptablesMasqueradeBit", 0, 31],
  ["iptablesDropBit", 0, 31],
  ["containerLogMaxFiles", 2, 2 ** 31 - 1],
  ["containerLogMaxWorkers", 1, 2 ** 31 - 1],
  ["evictionMaxPodGracePeriod", 0, 2 ** 31 - 1],
] as const satisfies readonly (readonly [keyof NodeAgentConfiguration, number, number])[];

/** Durations that pace a loop. */
const PACES = [
  "nodeStatusUpdateFrequency",
  "syncFrequency",
  "fileCheckFrequency",
  "httpCheckFrequency",
  "runtimeRequestTimeout",
] as const;

function checkNumbers(config: NodeAgentConfiguration, check: Check): void {
  for (const [field, min, max] of RANGES) {
    const value = config[field];
    check(value >= min && value <= max, field, `${value} is not between ${min} and ${max}`);
  }
  for (const field of PACES) check(config[`${field}Ms`] > 0, field, "must be greater than 0s");
  check(config.nodeStatusReportFrequencyMs >= 0, "nodeStatusReportFrequency", "must not be negative");
  const periodMs = config.cpuCFSQuotaPeriodMs;
  check(periodMs >= 1 && periodMs <= 1_000, "cpuCFSQuotaPeriod", "must be between 1ms and 1s");
  const factor = config.memoryThrottlingFactor;
  check(factor > 0 && factor <= 1, "memoryThrottlingFactor", `${factor} is not above 0 and at most 1`);
  const restartMs = config.crashLoopBackOff.maxContainerRestartPeriodMs;
  const restart = "crashLoopBackOff.maxContainerRestartPeriod";
  check(restartMs >= 1_000 && restartMs <= 300_000, restart, "must be between 1s and 300s");
  const ids = config.userNamespaces.idsPerPod;
  check(
    ids > 0 && ids % 65_536 === 0 && ids < 2 ** 32,
    "userNamespaces.idsPerPod",
    `${ids} is not a multiple of 65536 below 4294967296`,
  );
  checkImages(config, check);
}

function checkImages(config: NodeAgentConfiguration, check: Check): void {
  check(
    config.imageGCHighThresholdPercent > config.imageGCLowThresholdPercent,
    "imageGCHighThresholdPercent",
    `must be greater than imageGCLowThresholdPercent, which is ${config.imageGCLowThresholdPercent}`,
  );
  const { imageMaximumGCAgeMs: mostMs, imageMinimumGCAgeMs: leastMs } = config;
  check(mostMs >= 0, "imageMaximumGCAge", "must not be negative");
  check(mostMs <= 0 || mostMs > leastMs, "imageMaximumGCAge", "must be greater than imageMinimumGCAge");
  check(
    config.preloadedImagesVerificationAllowlist.length === 0 ||
      config.imagePullCredentialsVerificationPolicy === "NeverVerifyAllowlistedImages",
    "preloadedImagesVerificationAllowlist",
    "needs the imagePullCredentialsVerificationPolicy NeverVerifyAllowlistedImages",
  );
  const parallel = config.maxParallelImagePulls;
  if (parallel !== undefined) {
    check(parallel >= 1, "maxParallelImagePulls", `${parallel} must be a positive number`);
    check(
      parallel === 1 || !config.serializeImagePulls,
      "maxParallelImagePulls",
      "cannot be larger than 1 unless serializeImagePulls is false",
    );
  }
}

function checkServing(config: NodeAgentConfiguration, check: Check): void {
  for (const field of ["address", "healthzBindAddress"] as const)
    check(parseIp(config[field]) !== undefined, field, `${JSON.stringify(config[field])} is not an IP address`);
  config.clusterDNS.forEach((ip, index) => {
    check(parseIp(ip) !== undefined, `clusterDNS[${index}]`, `${JSON.stringify(ip)} is not an IP address`);
  });
  check(
    (config.tlsCertFile === undefined) === (config.tlsPrivateKeyFile === undefined),
    "tlsCertFile",
    "tlsCertFile and tlsPrivateKeyFile must be set together",
  );
  const versions = [undefined, "", "VersionTLS12", "VersionTLS13"];
  check(versions.includes(config.tlsMinVersion), "tlsMinVersion", "must be VersionTLS12 or VersionTLS13");
  checkTaints(config, check);
}

function checkTaints({ registerWithTaints }: NodeAgentConfiguration, check: Check): void {
  registerWithTaints.forEach(({ key, value = "", effect, timeAdded }, index) => {
    const at = `registerWithTaints[${index}]`;
    for (const problem of qualifiedNameProblems(key)) check(false, `${at}.key`, problem);
    for (const problem of labelValueProblems(value)) check(false, `${at}.value`, problem);
    check(
      ["NoSchedule", "PreferNoSchedule", "NoExecute"].includes(effect),
      `${at}.effect`,
      `${JSON.stringify(effect)} is not one of NoSchedule, PreferNoSchedule, NoExecute`,
    );
    check(timeAdded === undefined, `${at}.timeAdded`, "is for the control plane to set");
  });
}

function checkLogs(config: NodeAgentConfiguration, check: Check): void {
  check(!config.runOnce, "runOnce", "is no way to run any more and should not be set");
  const { enableSystemLogQuery: mayQuery, enableSystemLogHandler: hasLogs, podLogsDir } = config;
  check(!mayQuery || hasLogs, "enableSystemLogQuery", "needs enableSystemLogHandler");
  check(config.containerLogMonitorIntervalMs >= 3_000, "containerLogMonitorInterval", "must be at least 3s");
  check(isAbsolute(podLogsDir), "podLogsDir", "must be an absolute path");
  check(podLogsDir === normalize(podLogsDir).replace(/(?<=.)\/$/, ""), "podLogsDir", "must be a normalized path");
  // It stands in metrics.
  check(/^[\x20-\x7e]*$/.test(podLogsDir), "podLogsDir", "may hold ASCII characters only");
  if (config.systemCgroups) check(Boolean(config.cgroupRoot), "systemCgroups", "needs cgroupRoot");
}

function checkRuntime(config: NodeAgentConfiguration, check: Check): void {
  const { containerRuntimeEndpoint: runtime, imageServiceEndpoint: images } = config;
  const problem = "is not the address of a unix socket such as unix:///run/containerd/containerd.sock";
  check(socketPathOf(runtime) !== undefined, "containerRuntimeEndpoint", `${JSON.stringify(runtime)} ${problem}`);
  if (images) check(socketPathOf(images) !== undefined, "imageServiceEndpoint", `${JSON.stringify(images)} ${problem}`);
  check(
    parseQuantity(config.containerLogMaxSize) !== undefined,
    "containerLogMaxSize",
    "is not a quantity such as 10Mi",
  );
  config.allowedUnsafeSysctls.forEach((pattern, index) => {
    const [at, shown] = [`allowedUnsafeSysctls[${index}]`, JSON.stringify(pattern)];
    if (!isSysctlPattern(pattern)) check(false, at, `${shown} is no name or prefix of a sysctl`);
    // A pod that may set others changes the whole machine.
    else
      check(
        sysctlNamespace(dottedName(pattern).replace(/\*$/, "")) !== undefined,
        at,
        `${shown} is not known to be namespaced`,
      );
  });
  const { samplingRatePerMillion: rate = 0 } = config.tracing;
  check(rate >= 0 && rate <= 1e6, "tracing.samplingRatePerMillion", "must be between 0 and 1000000");
}

function checkEviction(config: NodeAgentConfiguration, check: Check): void {
  const signals: readonly string[] = EVICTION_SIGNALS;
  for (const field of ["evictionHard", "evictionSoft", "evictionMinimumReclaim"] as const) {
    for (const [signal, threshold] of Object.entries(config[field])) {
      const at = `${field}[${signal}]`;
      check(signals.includes(signal), at, `must be one of ${signals.join(", ")}`);
      const value = parseThreshold(threshold);
      check(value !== undefined, at, `${JSON.stringify(threshold)} is neither an amount nor a percentage`);
      const isNothing = value !== undefined && "amount" in value && value.amount === 0;
      check(!isNothing || field === "evictionMinimumReclaim", at, "must be positive; 0% switches the signal off");
    }
  }
  for (const [signal, text] of Object.entries(config.evictionSoftGracePeriod)) {
    const at = `evictionSoftGracePeriod[${signal}]`;
    check(signals.includes(signal), at, `must be one of ${signals.join(", ")}`);
    check((durationMs(text) ?? -1) >= 0, at, `${JSON.stringify(text)} is no duration`);
  }
  for (const signal of Object.keys(config.evictionSoft))
    check(
      Object.hasOwn(config.evictionSoftGracePeriod, signal),
      `evictionSoft[${signal}]`,
      "has no evictionSoftGracePeriod",
    );
}

function checkShutdown(config: NodeAgentConfiguration, check: Check): void {
  const { shutdownGracePeriodMs: allMs, shutdownGracePeriodCriticalPodsMs: criticalMs } = config;
  check(allMs === 0 || allMs >= 1_000, "shutdownGracePeriod", "must be 0s or at least 1s");
  const critical = "shutdownGracePeriodCriticalPods";
  check(criticalMs === 0 || criticalMs >= 1_000, critical, "must be 0s or at least 1s");
  check(criticalMs <= allMs, critical, "must not be longer than shutdownGracePeriod");
  check(
    config.shutdownGracePeriodByPodPriority.length === 0 || (allMs === 0 && criticalMs === 0),
    "shutdownGracePeriodByPodPriority",
    "cannot be set together with shutdownGracePeriod or shutdownGracePeriodCriticalPods",
  );
}
