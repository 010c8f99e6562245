// Whether the node takes a pod that was bound to it. Others bind pods by what they last heard of the node; the agent looks
// at what is there. Pure.

import type { Node } from "../../kinds/core/node.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "../../kinds/core/node-selector.ts";
import { allContainers } from "../../kinds/core/pod/containers.ts";
import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import { nodeRequests, resourcesProblem } from "../../kinds/core/pod/room.ts";
import type { Taint, Toleration } from "../../kinds/core/pod/toleration.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { parseQuantity, quantityAsFloat } from "../../meta/quantity.ts";
import { isCriticalPod } from "../eviction/critical-pod.ts";
import type { Pressure } from "../node/conditions.ts";
import type { WaitingReason } from "./container-statuses.ts";
import { sysctlProblem } from "./sysctl-rules.ts";

export interface AdmissionFacts {
  /** Undefined while the API is silent: what it would say is not asked then. */
  readonly node: Pick<Node, "metadata" | "spec" | "status"> | undefined;
  readonly nodeName: string;
  readonly allocatable: Readonly<Record<string, string>>;
  /** The pods that the node has taken and that have not ended. */
  readonly others: readonly Pod[];
  readonly kernelRelease: string;
  readonly hasAppArmor: boolean;
  readonly allowedSysctls: readonly string[];
  readonly isStatic: boolean;
  readonly isShuttingDown: boolean;
  /** What the node runs short of. */
  readonly pressures: ReadonlySet<Pressure>;
  readonly memoryPressureTaint: string;
  /** Where a pod says which system it is for, beside its field. */
  readonly osLabel: string;
}

/** Why the node does not take the pod; undefined when it does. */
export function admissionProblem(pod: Pod, facts: AdmissionFacts): WaitingReason | undefined {
  return (
    pressureProblem(pod, facts) ??
    sysctlsProblem(pod, facts) ??
    osProblem(pod, facts) ??
    groupsProblem(pod, facts) ??
    resourcesProblem(pod, facts) ??
    affinityProblem(pod, facts) ??
    portsProblem(pod, facts) ??
    taintsProblem(pod, facts) ??
    appArmorProblem(pod, facts) ??
    (facts.isShuttingDown ? SHUTTING_DOWN : undefined)
  );
}

const SHUTTING_DOWN = { reason: "NodeShutdown", message: "Pod was rejected as the node is shutting down." };

const CONDITIONS: readonly (readonly [Pressure, string])[] = [
  ["memory", "MemoryPressure"],
  ["disk", "DiskPressure"],
  ["pid", "PIDPressure"],
];

/** While memory alone is short, pods that ask for some are taken: they go last. */
function pressureProblem(pod: Pod, facts: AdmissionFacts): WaitingReason | undefined {
  const { pressures, isStatic, memoryPressureTaint } = facts;
  if (pressures.size === 0 || isCriticalPod(pod, isStatic)) return undefined;
  if (pressures.size === 1 && pressures.has("memory")) {
    if (qosClassOf(pod.spec) !== "BestEffort") return undefined;
    const taint: Taint = { key: memoryPressureTaint, effect: "NoSchedule" };
    if ((pod.spec.tolerations ?? []).some((toleration) => tolerates(toleration, taint))) return undefined;
  }
  const names = CONDITIONS.filter(([pressure]) => pressures.has(pressure)).map(([, name]) => name);
  return { reason: "Evicted", message: `The node had condition: [${names.join(" ")}]. ` };
}

function osProblem({ metadata, spec }: Pod, { osLabel }: AdmissionFacts): WaitingReason | undefined {
  const labels = metadata.labels ?? {};
  if (Object.hasOwn(labels, osLabel) && labels[osLabel] !== "linux") {
    const message = `Failed to admit pod as the \`${osLabel}\` label doesn't match node label`;
    return { reason: "PodOSSelectorNodeLabelDoesNotMatch", message };
  }
  if (spec.os === undefined || spec.os.name === "linux") return undefined;
  return { reason: "PodOSNotSupported", message: "Failed to admit pod as the OS field doesn't match node OS" };
}

/** A runtime that does not know the policy would give the pod groups that it must not have. */
function groupsProblem({ spec }: Pod, { node }: AdmissionFacts): WaitingReason | undefined {
  if (node === undefined || spec.securityContext?.supplementalGroupsPolicy !== "Strict") return undefined;
  if (node.status.features?.supplementalGroupsPolicy) return undefined;
  const message = "SupplementalGroupsPolicy=Strict is not supported in this node";
  return { reason: "SupplementalGroupsPolicyNotSupported", message };
}

/** What is missing for the pod, by resource; processors in whole ones. */
export function missingResources(
  pod: Pod,
  { allocatable, others }: Pick<AdmissionFacts, "allocatable" | "others">,
): Map<string, number> {
  const used = others.map(requestedAmounts);
  const missing = new Map<string, number>();
  for (const [name, amount] of requestedAmounts(pod)) {
    const capacity = Object.hasOwn(allocatable, name) ? parseQuantity(allocatable[name]!) : undefined;
    if (capacity === undefined || amount === 0) continue;
    const short = used.reduce((sum, each) => sum + (each.get(name) ?? 0), amount) - quantityAsFloat(capacity);
    if (short > 0) missing.set(name, short);
  }
  return missing;
}

export function requestedAmounts(pod: Pod): Map<string, number> {
  return new Map([...nodeRequests(pod)].map(([name, quantity]) => [name, quantityAsFloat(quantity)]));
}

function affinityProblem({ spec }: Pod, { node, nodeName }: AdmissionFacts): WaitingReason | undefined {
  if (node === undefined) return undefined;
  const labels = node.metadata.labels ?? {};
  const label = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  const selected = Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => label(key) === value);
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const matches = required?.nodeSelectorTerms?.some((term) => matchesTerm(term, label, nodeName)) ?? true;
  if (selected && matches) return undefined;
  const message = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";
  return { reason: "NodeAffinity", message };
}

function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  label: (key: string) => string | undefined,
  nodeName: string,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const field = (key: string) => (key === "metadata.name" ? nodeName : undefined);
  return (
    matchExpressions.every((requirement) => meets(requirement, label(requirement.key))) &&
    matchFields.every((requirement) => meets(requirement, field(requirement.key)))
  );
}

function meets({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
      return isInteger(value) && isInteger(values[0]) && BigInt(value) > BigInt(values[0]);
    case "Lt":
      return isInteger(value) && isInteger(values[0]) && BigInt(value) < BigInt(values[0]);
  }
}

const isInteger = (text: string | undefined): text is string => text !== undefined && /^-?\d{1,20}$/.test(text);

function portsProblem(pod: Pod, { others }: AdmissionFacts): WaitingReason | undefined {
  const taken = others.flatMap(hostPorts);
  const isTaken = hostPorts(pod).some((port) => taken.some((other) => clashes(port, other)));
  if (!isTaken) return undefined;
  const message = "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports";
  return { reason: "NodePorts", message };
}

interface HostPort {
  readonly protocol: string;
  readonly port: number;
  readonly ip: string;
}

function hostPorts({ spec }: Pod): HostPort[] {
  const containers = [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always"),
  ];
  return containers.flatMap(({ ports }) =>
    (ports ?? []).flatMap(({ hostPort, protocol = "TCP", hostIP }) =>
      hostPort ? [{ protocol, port: hostPort, ip: hostIP || ANY_ADDRESS }] : [],
    ),
  );
}

const ANY_ADDRESS = "0.0.0.0";

function clashes(a: HostPort, b: HostPort): boolean {
  return (
    a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === ANY_ADDRESS || b.ip === ANY_ADDRESS)
  );
}

function taintsProblem({ spec }: Pod, { node, isStatic }: AdmissionFacts): WaitingReason | undefined {
  if (isStatic) return undefined;
  const tolerations = spec.tolerations ?? [];
  const isUntolerated = (node?.spec.taints ?? []).some(
    (each) => each.effect === "NoExecute" && !tolerations.some((toleration) => tolerates(toleration, each)),
  );
  if (!isUntolerated) return undefined;
  const message = "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate";
  return { reason: "TaintToleration", message };
}

function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return (
    operator === "Exists" ||
    ((operator ?? "Equal") === "Equal" && key !== undefined && (value ?? "") === (taint.value ?? ""))
  );
}

function sysctlsProblem(pod: Pod, { kernelRelease, allowedSysctls }: AdmissionFacts): WaitingReason | undefined {
  const message = sysctlProblem(pod, kernelRelease, allowedSysctls);
  return message === undefined ? undefined : { reason: "SysctlForbidden", message };
}

/** What would run without the profile that it asks for does not run. */
function appArmorProblem({ spec }: Pod, { hasAppArmor }: AdmissionFacts): WaitingReason | undefined {
  if (hasAppArmor) return undefined;
  const contexts = [spec, ...allContainers(spec).map(({ container }) => container)].map((each) => each.securityContext);
  const isAsked = contexts.some((each) => (each?.appArmorProfile?.type ?? "Unconfined") !== "Unconfined");
  if (!isAsked) return undefined;
  return { reason: "AppArmor", message: "Cannot enforce AppArmor: AppArmor is not enabled on the host" };
}
