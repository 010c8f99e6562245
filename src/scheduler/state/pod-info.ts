// A pod as the scheduler sees it: everything that its spec says about where it may run, read once.

import type { Stored } from "../../client/informer.ts";
import { type NodeMatcher, nodeSelectorMatcher, nodeTermMatcher } from "../../kinds/core/node-matcher.ts";
import type { PodAffinityTerm } from "../../kinds/core/pod/affinity.ts";
import { asHeld } from "../../kinds/core/pod/held-resources.ts";
import type { Toleration } from "../../kinds/core/pod/toleration.ts";
import type { TopologySpreadConstraint } from "../../kinds/core/pod/topology-spread.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { type ClaimOfPod, claimOf } from "../../kinds/resource/claim-of-pod.ts";
import { type LabelSelector, selectorFromObject } from "../../meta/label-selector.ts";
import { type Amounts, podRequests, UNSAID } from "./amounts.ts";

export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  /** Of the labels of further namespaces. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
  /** Equal terms have equal texts. */
  readonly text: string;
}

interface WeightedTerm {
  /** Below zero: pods to keep away from. */
  readonly weight: number;
  readonly term: AffinityTerm;
}

export interface SpreadRule {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly selector: LabelSelector;
  readonly minDomains: number;
  /** Whether only nodes count that the pod's node affinity allows, or whose taints it tolerates. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
}

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export interface PodInfo {
  /** Its newest state; where something changes that matters here, the pod is read anew. */
  pod: Stored<Pod>;
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  /** "namespace/name" */
  readonly key: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly priority: number;
  readonly isTerminating: boolean;
  /** Of its controller. */
  readonly ownerUid: string | undefined;
  readonly requests: Amounts;
  /** The same with something for containers that say nothing. */
  readonly guessedRequests: Amounts;
  readonly ports: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  /** Node selector and required node affinity. */
  readonly nodes: NodeMatcher | undefined;
  readonly preferredNodes: readonly { readonly weight: number; readonly matcher: NodeMatcher }[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferences: readonly WeightedTerm[];
  readonly hardSpread: readonly SpreadRule[];
  readonly softSpread: readonly SpreadRule[];
  /** Names of its claims, those of ephemeral volumes included. */
  readonly claims: readonly { readonly name: string; readonly isEphemeral: boolean }[];
  /** Those for devices; empty for most pods. */
  readonly deviceClaims: readonly ClaimOfPod[];
  readonly images: readonly string[];
  /** What of its spec cannot be read: nothing can be scheduled by it. */
  readonly problem: string | undefined;
}

/** Never throws: what cannot be read is the pod's problem. */
export function podInfo(pod: Stored<Pod>): PodInfo {
  const { metadata, spec } = pod;
  const { uid, name, namespace = "" } = metadata;
  const where = placementOrProblem(pod);
  const held = asHeld(pod);
  // One literal: objects that are spread together have a shape of their own each, and are slow to read.
  return {
    pod,
    uid,
    name,
    namespace,
    key: `${namespace}/${name}`,
    labels: metadata.labels ?? {},
    priority: spec.priority ?? 0,
    isTerminating: metadata.deletionTimestamp !== undefined,
    ownerUid: metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid,
    requests: podRequests(held),
    guessedRequests: podRequests(held, UNSAID),
    ports: hostPorts(pod),
    tolerations: spec.tolerations ?? [],
    claims: claimsOf(pod),
    deviceClaims: (spec.resourceClaims ?? []).map((each) => claimOf(pod, each)),
    images: (spec.containers ?? []).map(({ image }) => image ?? ""),
    nodes: where.nodes,
    preferredNodes: where.preferredNodes,
    affinity: where.affinity,
    antiAffinity: where.antiAffinity,
    preferences: where.preferences,
    hardSpread: where.hardSpread,
    softSpread: where.softSpread,
    problem: where.problem,
  };
}

function placementOrProblem(pod: Stored<Pod>): Placement & Pick<PodInfo, "problem"> {
  try {
    return { ...placement(pod), problem: undefined };
  } catch (error) {
    return { ...NO_PLACEMENT, problem: `parsing pod: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Whether a pod of a namespace is one that the term means. */
export function termMeans(
  term: AffinityTerm,
  pod: Pick<PodInfo, "namespace" | "labels">,
  labelsOfNamespace: (namespace: string) => Readonly<Record<string, string>> | undefined,
): boolean {
  const inNamespace =
    term.namespaces.has(pod.namespace) || (term.namespaceSelector?.matches(labelsOfNamespace(pod.namespace)) ?? false);
  return inNamespace && term.selector.matches(pod.labels);
}

type Placement = Pick<
  PodInfo,
  "nodes" | "preferredNodes" | "affinity" | "antiAffinity" | "preferences" | "hardSpread" | "softSpread"
>;

const NO_PLACEMENT: Placement = {
  nodes: undefined,
  preferredNodes: [],
  affinity: [],
  antiAffinity: [],
  preferences: [],
  hardSpread: [],
  softSpread: [],
};

function placement(pod: Stored<Pod>): Placement {
  const { nodeAffinity, podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const term = (each: PodAffinityTerm): AffinityTerm => affinityTerm(each, pod);
  const weighted = (side: typeof podAffinity, sign: number): WeightedTerm[] =>
    (side?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ weight, podAffinityTerm }) => ({
      weight: sign * weight,
      term: term(podAffinityTerm),
    }));
  const rules = (action: string): SpreadRule[] =>
    (pod.spec.topologySpreadConstraints ?? [])
      .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === action)
      .map((each) => spreadRule(each, pod));
  return {
    nodes: requiredNodes(pod),
    preferredNodes: (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ weight, preference }) => ({ weight, matcher: nodeTermMatcher(preference) }),
    ),
    affinity: (podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term),
    antiAffinity: (podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(term),
    preferences: [...weighted(podAffinity, 1), ...weighted(podAntiAffinity, -1)],
    hardSpread: rules("DoNotSchedule"),
    softSpread: rules("ScheduleAnyway"),
  };
}

function requiredNodes({ spec }: Pod): NodeMatcher | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const affinity = terms === undefined || terms === null ? undefined : nodeSelectorMatcher(terms);
  const wanted = Object.entries(spec.nodeSelector ?? {});
  if (wanted.length === 0) return affinity;
  const selected = ({ labels }: { labels: Readonly<Record<string, string>> }): boolean =>
    wanted.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  if (affinity === undefined) return { matches: selected };
  return { matches: (node) => selected(node) && affinity.matches(node), names: affinity.names };
}

function affinityTerm(
  {
    labelSelector,
    namespaces = [],
    namespaceSelector,
    topologyKey,
    matchLabelKeys,
    mismatchLabelKeys,
  }: PodAffinityTerm,
  { metadata }: Stored<Pod>,
): AffinityTerm {
  const isOwn = (namespaces?.length ?? 0) === 0 && namespaceSelector === undefined;
  const named = isOwn ? [metadata.namespace ?? ""] : [...(namespaces ?? [])].sort();
  const others = namespaceSelector === undefined ? undefined : selectorFromObject(namespaceSelector);
  const selector = withLabelKeys(labelSelector, metadata.labels, matchLabelKeys, mismatchLabelKeys);
  return {
    namespaces: new Set(named),
    namespaceSelector: others,
    selector,
    topologyKey,
    text: JSON.stringify([named, others?.text ?? null, selector.text, topologyKey]),
  };
}

function spreadRule(constraint: TopologySpreadConstraint, { metadata }: Stored<Pod>): SpreadRule {
  const { maxSkew, topologyKey, labelSelector, minDomains, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  return {
    maxSkew,
    topologyKey,
    selector: withLabelKeys(labelSelector, metadata.labels, constraint.matchLabelKeys),
    minDomains: minDomains ?? 1,
    honorsAffinity: nodeAffinityPolicy !== "Ignore",
    honorsTaints: nodeTaintsPolicy === "Honor",
  };
}

type SelectorObject = NonNullable<PodAffinityTerm["labelSelector"]>;

/** The server merges label keys into the selector of new pods; pods of before have them beside it. Twice is the same. */
function withLabelKeys(
  selector: SelectorObject | undefined,
  labels: Readonly<Record<string, string>> | undefined,
  same: readonly string[] = [],
  other: readonly string[] = [],
): LabelSelector {
  if (selector === undefined || (same.length === 0 && other.length === 0)) return selectorFromObject(selector);
  const own = (keys: readonly string[], operator: "In" | "NotIn") =>
    keys
      .filter((key) => labels !== undefined && Object.hasOwn(labels, key))
      .map((key) => ({ key, operator, values: [labels![key]!] }));
  return selectorFromObject({
    ...selector,
    matchExpressions: [...(selector.matchExpressions ?? []), ...own(same, "In"), ...own(other, "NotIn")],
  });
}

function hostPorts({ spec }: Pod): readonly HostPort[] {
  const staying = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...(spec.containers ?? []), ...staying].flatMap(({ ports }) =>
    (ports ?? [])
      .filter(({ hostPort }) => (hostPort ?? 0) > 0)
      .map(({ hostIP, protocol, hostPort }) => ({
        ip: hostIP || "0.0.0.0",
        protocol: protocol || "TCP",
        port: hostPort!,
      })),
  );
}

function claimsOf({ metadata, spec }: Stored<Pod>): PodInfo["claims"] {
  const claims: { name: string; isEphemeral: boolean }[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of spec.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) claims.push({ name: persistentVolumeClaim.claimName, isEphemeral: false });
    else if (ephemeral !== undefined) claims.push({ name: `${metadata.name}-${name}`, isEphemeral: true });
  }
  return claims;
}
