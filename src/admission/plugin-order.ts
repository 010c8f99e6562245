// The admission plug-ins in their order, and which of them run when no flag says otherwise.

import { StartError } from "../base/start-error.ts";

export interface PluginChoice {
  readonly enable: readonly string[];
  readonly disable: readonly string[];
  /** File with settings of plug-ins. */
  readonly configFile?: string;
}

interface OrderedPlugin {
  readonly name: string;
  readonly byDefault?: boolean;
}

/** What changes objects comes first; webhooks, quota and the general refusal come last. */
const ORDER: readonly OrderedPlugin[] = [
  { name: "AlwaysAdmit" },
  { name: "NamespaceAutoProvision" },
  { name: "NamespaceLifecycle", byDefault: true },
  { name: "NamespaceExists" },
  { name: "LimitPodHardAntiAffinityTopology" },
  { name: "LimitRanger", byDefault: true },
  { name: "ServiceAccount", byDefault: true },
  { name: "NodeRestriction" },
  { name: "TaintNodesByCondition", byDefault: true },
  { name: "AlwaysPullImages" },
  { name: "ImagePolicyWebhook" },
  { name: "PodSecurity", byDefault: true },
  { name: "PodNodeSelector" },
  { name: "Priority", byDefault: true },
  { name: "DefaultTolerationSeconds", byDefault: true },
  { name: "PodTolerationRestriction" },
  { name: "EventRateLimit" },
  { name: "ExtendedResourceToleration" },
  { name: "DefaultStorageClass", byDefault: true },
  { name: "StorageObjectInUseProtection", byDefault: true },
  { name: "OwnerReferencesPermissionEnforcement" },
  { name: "PersistentVolumeClaimResize", byDefault: true },
  { name: "RuntimeClass", byDefault: true },
  { name: "CertificateApproval", byDefault: true },
  { name: "CertificateSigning", byDefault: true },
  { name: "ClusterTrustBundleAttest", byDefault: true },
  { name: "CertificateSubjectRestriction", byDefault: true },
  { name: "DefaultIngressClass", byDefault: true },
  { name: "DenyServiceExternalIPs" },
  { name: "PodTopologyLabels", byDefault: true },
  { name: "MutatingAdmissionPolicy", byDefault: true },
  { name: "MutatingAdmissionWebhook", byDefault: true },
  { name: "ValidatingAdmissionPolicy", byDefault: true },
  { name: "ValidatingAdmissionWebhook", byDefault: true },
  { name: "ResourceQuota", byDefault: true },
  { name: "AlwaysDeny" },
];

/** The names of the plug-ins to run, in order. Fails with StartError for one that this server does not have. */
export function chosenPlugins({ enable, disable }: PluginChoice): string[] {
  const known = new Set(ORDER.map(({ name }) => name));
  check("--enable-admission-plugins", enable, known);
  // Names to switch off are not checked: without such a plug-in there is nothing to switch off.
  const on = new Set(enable);
  const off = new Set(disable);
  return ORDER.filter(({ name, byDefault }) => !off.has(name) && (on.has(name) || byDefault === true)).map(
    ({ name }) => name,
  );
}

function check(flag: string, names: readonly string[], known: ReadonlySet<string>): void {
  const missing = names.filter((name) => !known.has(name));
  if (missing.length === 0) return;
  throw new StartError(
    `flag ${flag}: this server has no admission plug-in ${missing.map((name) => JSON.stringify(name)).join(", ")}`,
  );
}
