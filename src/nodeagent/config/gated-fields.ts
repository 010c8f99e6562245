// Fields, and options of policies, that may only be set where a feature gate is on. Pure.

import type { FeatureGates } from "../../base/feature-gates.ts";
import type { JsonObject } from "../../base/json.ts";
import { completeStruct } from "../../options/complete-config.ts";
import type { GateName } from "../../options/feature-gate-table.ts";
import { unusedFields } from "../../options/unused-fields.ts";
import { configurationFields, type NodeAgentConfiguration } from "./configuration.ts";
import { CPU_OPTIONS, TOPOLOGY_OPTIONS } from "./policy-options.ts";

interface LockedField {
  readonly field: string;
  readonly problem: string;
}

const GATES_OF_FIELDS: ReadonlyMap<string, GateName> = new Map<string, GateName>([
  ["cpuCFSQuotaPeriod", "CustomCPUCFSQuotaPeriod"],
  ["crashLoopBackOff.maxContainerRestartPeriod", "KubeletCrashLoopBackOffMax"],
  ["enableSystemLogQuery", "NodeLogQuery"],
  ["imageMaximumGCAge", "ImageMaximumGCAge"],
  ["imagePullCredentialsVerificationPolicy", "KubeletEnsureSecretPulledImages"],
  ["memorySwap.swapBehavior", "NodeSwap"],
  ["preloadedImagesVerificationAllowlist", "KubeletEnsureSecretPulledImages"],
  ["serverTLSBootstrap", "RotateKubeletServerCertificate"],
  ["shutdownGracePeriod", "GracefulNodeShutdown"],
  ["shutdownGracePeriodByPodPriority", "GracefulNodeShutdownBasedOnPodPriority"],
  ["shutdownGracePeriodCriticalPods", "GracefulNodeShutdown"],
]);

/** Those whose gate is off though they say something. `shown` is the configuration in the form of a file. */
export function* lockedFields(
  { configuration, shown }: { readonly configuration: NodeAgentConfiguration; readonly shown: JsonObject },
  gates: Pick<FeatureGates<GateName>, "enabled">,
): Generator<LockedField> {
  const set = unusedFields(GATES_OF_FIELDS.keys(), shown, completeStruct(configurationFields, {}));
  for (const [field, gate] of [
    ...set.map((path) => [path, GATES_OF_FIELDS.get(path)] as const),
    ...gatesOfOptions(configuration),
  ])
    if (gate !== undefined && !gates.enabled(gate)) yield { field, problem: `needs the feature gate ${gate}` };
}

const POLICY_OPTIONS = [
  ["cpuManagerPolicyOptions", CPU_OPTIONS],
  ["topologyManagerPolicyOptions", TOPOLOGY_OPTIONS],
] as const;

function gatesOfOptions(configuration: NodeAgentConfiguration): (readonly [string, GateName | undefined])[] {
  return POLICY_OPTIONS.flatMap(([field, known]) =>
    Object.keys(configuration[field]).map((option) => [`${field}[${option}]`, known.get(option)?.gate] as const),
  );
}
