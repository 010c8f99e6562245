// The admission plug-ins that this server runs: from the flags to a list in order, with what they look things up in.

import { systemClock } from "../base/clock.ts";
import type { JsonObject } from "../base/json.ts";
import { Metrics } from "../base/metrics.ts";
import { inTurns } from "../base/steps.ts";
import { WebhookClient } from "../client/callouts/webhook-client.ts";
import type { LimitRange } from "../kinds/core/limit-range.ts";
import type { ServiceAccount } from "../kinds/core/service-account.ts";
import type { IngressClass } from "../kinds/networking/ingress-class.ts";
import type { RuntimeClass } from "../kinds/node/runtime-class.ts";
import type { PriorityClass } from "../kinds/scheduling/priority-class.ts";
import type { StorageClass } from "../kinds/storage/storage-class.ts";
import type { ObjectMeta } from "../meta/object.ts";
import { RELEASE } from "../meta/version.ts";
import type { AdmissionPlugin } from "../registry/admission.ts";
import { ensureNamespace } from "../registry/system-namespaces.ts";
import { turnOf, type WriteDeps } from "../registry/write.ts";
import { readAdmissionConfiguration, readEventLimits } from "./admission-configuration.ts";
import { alwaysAdmit, alwaysDeny } from "./always.ts";
import { alwaysPullImages } from "./always-pull-images.ts";
import { Arrivals } from "./arrivals.ts";
import { certificateApproval, certificateSigning, clusterTrustBundleAttest } from "./certificate-signers.ts";
import { certificateSubjectRestriction } from "./certificate-subject-restriction.ts";
import { defaultIngressClass } from "./default-ingress-class.ts";
import { defaultStorageClass } from "./default-storage-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { denyServiceExternalIPs } from "./deny-service-external-ips.ts";
import { eventRateLimit } from "./event-rate-limit.ts";
import { extendedResourceToleration } from "./extended-resource-toleration.ts";
import { buildImagePolicy } from "./image-policy/build-image-policy.ts";
import { limitRanger } from "./limit-ranger.ts";
import { conditionMetrics } from "./matching/condition-metrics.ts";
import { Equivalents } from "./matching/equivalents.ts";
import { Matcher } from "./matching/matcher.ts";
import { type Lookup, Mirrors } from "./mirrors.ts";
import { namespaceAutoProvision, namespaceExists } from "./namespace-exists.ts";
import { type NamespaceState, namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction/node-restriction.ts";
import { ownerReferencesPermission } from "./owner-references-permission.ts";
import { persistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { chosenPlugins, type PluginChoice } from "./plugin-order.ts";
import type { PluginParts } from "./plugin-parts.ts";
import { limitPodHardAntiAffinityTopology } from "./pod-hard-anti-affinity.ts";
import { podNodeSelector, readNodeSelectors } from "./pod-node-selector.ts";
import { type PodSecurityParts, podSecurity } from "./pod-security/pod-security.ts";
import { podSecurityMetrics } from "./pod-security/pod-security-metrics.ts";
import { readPodSecuritySettings } from "./pod-security/settings.ts";
import { podTolerationRestriction, readTolerationSettings } from "./pod-toleration-restriction.ts";
import { type LabelledNode, podTopologyLabels } from "./pod-topology-labels.ts";
import { mutatingAdmissionPolicy } from "./policies/mutating-admission-policy.ts";
import { policyParamPermission } from "./policies/param-permission.ts";
import { ParamSource } from "./policies/param-source.ts";
import { mutationMetrics, policyMetrics } from "./policies/policy-metrics.ts";
import { MUTATING_POLICIES, PolicySet, VALIDATING_POLICIES } from "./policies/policy-set.ts";
import { validatingAdmissionPolicy } from "./policies/validating-admission-policy.ts";
import { priority } from "./priority.ts";
import { quotaPlugin } from "./resource-quota/build-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import { storageObjectInUseProtection } from "./storage-object-in-use-protection.ts";
import { ensureSystemPriorityClasses } from "./system-priority-classes.ts";
import { taintNodesByCondition } from "./taint-nodes-by-condition.ts";
import { mutatingWebhooks } from "./webhooks/mutating-webhooks.ts";
import { validatingWebhooks } from "./webhooks/validating-webhooks.ts";
import { webhookMetrics } from "./webhooks/webhook-metrics.ts";
import { WebhookSet } from "./webhooks/webhook-set.ts";

type AdmissionParts = Omit<PluginParts, "mirrors" | "writeDeps" | "metrics"> & {
  readonly choice: PluginChoice;
  /** Undefined: nobody looks at them. */
  readonly metrics?: Metrics;
};

interface Admission {
  readonly plugins: readonly AdmissionPlugin[];
  /** Loads what the plug-ins look things up in. Before anything is written. */
  start(deps: WriteDeps): Promise<void>;
  /** Once the system namespaces are there: stores what plug-ins rely on. */
  ensureDefaults(): Promise<void>;
  close(): void;
}

/** Fails with StartError when a flag names a plug-in that is not there. */
export function buildAdmission({ choice, ...given }: AdmissionParts): Admission {
  const mirrors = new Mirrors(given.catalog);
  let writeDeps: WriteDeps | undefined;
  const metrics = given.metrics ?? new Metrics({ release: RELEASE });
  const parts: PluginParts = { ...given, metrics, mirrors, writeDeps: () => writeDeps! };
  const settings = readAdmissionConfiguration(choice.configFile, parts.readStartFile);
  const { factories, close } = pluginFactories(parts, settings);
  const chosen = chosenPlugins(choice)
    .filter((name) => !GATES.has(name) || parts.gateEnabled(GATES.get(name)!))
    .map((name) => factories.get(name)!());
  const plugins = [policyParamPermission(parts), ...chosen];
  return {
    plugins,
    async start(deps) {
      writeDeps = deps;
      await mirrors.start();
    },
    ensureDefaults: () => ensureSystemPriorityClasses(parts.writeDeps(), parts.catalog),
    close() {
      mirrors.close();
      close();
    },
  };
}

/** Plug-ins that do something only while a gate is open. */
const GATES: ReadonlyMap<string, string> = new Map([
  ["MutatingAdmissionPolicy", "MutatingAdmissionPolicy"],
  ["PodTopologyLabels", "PodTopologyLabelsAdmission"],
]);

/** Plug-ins are made only when they are chosen: what nobody asks for is not mirrored. */
function pluginFactories(
  parts: PluginParts,
  settings: ReadonlyMap<string, JsonObject>,
): { factories: ReadonlyMap<string, () => AdmissionPlugin>; close(): void } {
  const { names, catalog, mirrors, authorizer, gateEnabled, randomSuffix } = parts;
  const namespaces = mirrors.projected<NamespaceState>("", "v1", "namespaces", {
    project: ({ metadata, spec, status }) => ({
      ending: metadata.deletionTimestamp !== undefined,
      labels: metadata.labels ?? {},
      object: { metadata: withoutManagers(metadata), spec, status },
    }),
  })!;
  const equivalents = new Equivalents(catalog);
  const matcher = new Matcher({ names, namespaces, equivalents });
  const params = new ParamSource(catalog);
  const conditions = conditionMetrics(parts.metrics);
  const policyRuntime = { names, authorizer, namespaces, equivalents, params, conditions };
  let imagePolicy: { close(): void; readonly plugin: AdmissionPlugin } | undefined;
  const core = <T>(resource: string) => mirrors.of<T>("", "v1", resource) as Lookup<T>;
  const storageClasses = () => mirrors.of<StorageClass>(names.group("storage"), "v1", "storageclasses");
  const client = new WebhookClient(parts.resolveService, parts.egress);
  const calls = webhookMetrics(parts.metrics);
  const webhookParts = {
    names,
    matcher,
    equivalents,
    authorizer,
    client,
    calls,
    conditions,
    writeDeps: parts.writeDeps,
  };
  const factories = new Map<string, () => AdmissionPlugin>([
    ["AlwaysAdmit", () => alwaysAdmit],
    ["AlwaysDeny", () => alwaysDeny],
    ["NamespaceLifecycle", () => namespaceLifecycle(names, namespaces)],
    [
      "NamespaceAutoProvision",
      () => namespaceAutoProvision(namespaces, (name) => ensureNamespace(parts.writeDeps(), catalog, name)),
    ],
    ["NamespaceExists", () => namespaceExists(namespaces)],
    ["LimitPodHardAntiAffinityTopology", () => limitPodHardAntiAffinityTopology(names)],
    ["LimitRanger", () => limitRanger(names, core<LimitRange>("limitranges"))],
    ["ServiceAccount", () => serviceAccount(names, { ...arrivingAccounts(parts), randomSuffix })],
    ["NodeRestriction", () => nodeRestriction(parts)],
    ["TaintNodesByCondition", () => taintNodesByCondition(names)],
    ["AlwaysPullImages", () => alwaysPullImages],
    [
      "ImagePolicyWebhook",
      () => {
        imagePolicy = buildImagePolicy(parts, settings.get("ImagePolicyWebhook"));
        return imagePolicy.plugin;
      },
    ],
    ["PodNodeSelector", () => podNodeSelector(names, namespaces, readNodeSelectors(settings.get("PodNodeSelector")))],
    [
      "PodSecurity",
      () =>
        podSecurity({
          names,
          namespaces,
          gateEnabled,
          settings: readPodSecuritySettings(settings.get("PodSecurity")),
          podsOf: podReader(parts),
          observe: podSecurityMetrics(parts.metrics),
        }),
    ],
    ["Priority", () => priority(names, mirrors.of<PriorityClass>(names.group("scheduling"), "v1", "priorityclasses"))],
    ["DefaultTolerationSeconds", () => defaultTolerationSeconds(names, parts.tolerationTimes)],
    [
      "PodTolerationRestriction",
      () =>
        podTolerationRestriction(names, namespaces, readTolerationSettings(settings.get("PodTolerationRestriction"))),
    ],
    ["PodTopologyLabels", () => podTopologyLabels(names, labelledNodes(mirrors))],
    ["EventRateLimit", () => eventRateLimit(names, parts.clock, readEventLimits(settings.get("EventRateLimit")))],
    ["ExtendedResourceToleration", () => extendedResourceToleration(names)],
    ["DefaultStorageClass", () => defaultStorageClass(names, storageClasses())],
    ["StorageObjectInUseProtection", () => storageObjectInUseProtection(names, gateEnabled)],
    ["OwnerReferencesPermissionEnforcement", () => ownerReferencesPermission(catalog, authorizer)],
    ["PersistentVolumeClaimResize", () => persistentVolumeClaimResize(names, storageClasses())],
    ["RuntimeClass", () => runtimeClass(mirrors.of<RuntimeClass>(names.group("node"), "v1", "runtimeclasses"))],
    ["CertificateApproval", () => certificateApproval(names, authorizer)],
    ["CertificateSigning", () => certificateSigning(names, authorizer)],
    ["ClusterTrustBundleAttest", () => clusterTrustBundleAttest(names, authorizer)],
    ["CertificateSubjectRestriction", () => certificateSubjectRestriction(names)],
    [
      "DefaultIngressClass",
      () => defaultIngressClass(names, mirrors.of<IngressClass>(names.group("networking"), "v1", "ingressclasses")),
    ],
    ["DenyServiceExternalIPs", () => denyServiceExternalIPs],
    [
      "ValidatingAdmissionPolicy",
      () =>
        validatingAdmissionPolicy(new PolicySet(parts, VALIDATING_POLICIES), matcher, {
          ...policyRuntime,
          checks: policyMetrics(parts.metrics),
        }),
    ],
    [
      "MutatingAdmissionPolicy",
      () =>
        mutatingAdmissionPolicy(new PolicySet(parts, MUTATING_POLICIES), matcher, {
          ...policyRuntime,
          writeDeps: parts.writeDeps,
          mutations: mutationMetrics(parts.metrics),
        }),
    ],
    [
      "MutatingAdmissionWebhook",
      () => mutatingWebhooks(new WebhookSet(parts, "mutatingwebhookconfigurations"), webhookParts),
    ],
    [
      "ValidatingAdmissionWebhook",
      () => validatingWebhooks(new WebhookSet(parts, "validatingwebhookconfigurations"), webhookParts),
    ],
    ["ResourceQuota", () => quotaPlugin(parts)],
  ]);
  return {
    factories,
    close() {
      imagePolicy?.close();
      params.close();
      client.close();
    },
  };
}

function arrivingAccounts({ mirrors }: PluginParts) {
  // Of what others are doing meanwhile: that takes real time, also where the clock of a test stands still.
  const arrivals = new Arrivals(systemClock);
  const lookup = mirrors.projected<ServiceAccount>("", "v1", "serviceaccounts", {
    project: (account) => account as unknown as ServiceAccount,
    onChange: (_key, now) => {
      if (now !== undefined) arrivals.arrived(`${now.metadata.namespace}/${now.metadata.name}`);
    },
  })!;
  return { lookup, arrivals };
}

function labelledNodes(mirrors: Mirrors): Lookup<LabelledNode> {
  return mirrors.projected<LabelledNode>("", "v1", "nodes", {
    project: ({ metadata }) => ({ labels: metadata.labels ?? {} }),
  })!;
}

function withoutManagers({ managedFields: _, ownerReferences: __, ...metadata }: ObjectMeta): Partial<ObjectMeta> {
  return metadata;
}

/** More pods of a namespace are not looked at when its level of security becomes stricter. */
const MAX_CHECKED_PODS = 3000;
/** Each may be as large as an object may be. */
const PODS_AT_A_TIME = 25;

function podReader({ catalog }: PluginParts): PodSecurityParts["podsOf"] {
  return async function* podsOf({ name: namespace, caller }) {
    const store = catalog.own("", "v1", "pods")?.store;
    if (store === undefined) return 0;
    const scope = store.scopeOf(namespace);
    let after = scope;
    let unread = 0;
    for (let read = 0; read < MAX_CHECKED_PODS; read += PODS_AT_A_TIME) {
      const { entries, more, remainingCount } = await store.engine.list(scope, { after, limit: PODS_AT_A_TIME });
      for (const entry of entries) yield await inTurns(store.decodeInSteps(entry), () => turnOf(caller));
      unread = remainingCount;
      if (!more) break;
      after = entries.at(-1)!.key;
    }
    return unread;
  };
}
