// What a simulated node says about itself. Pure.

import type { Lease } from "../kinds/coordination/lease.ts";
import type { Node } from "../kinds/core/node.ts";
import { isExtendedResource } from "../kinds/core/pod/resource-names.ts";
import type { Draft } from "../kinds/define-kind.ts";
import type { Names } from "../meta/names.ts";
import { SIMULATED_RUNTIME } from "../meta/simulated-runtime.ts";
import { timeOfMs } from "../meta/time.ts";
import { VERSION_INFO } from "../meta/version.ts";

export const MAX_SIMULATED_NODES = 20_000;
const LEASE_SECONDS = 40;
/** Half of the shortest time between two signs of life. */
const FRESH_MS = 5_000;

const ZONES = ["zone-a", "zone-b", "zone-c"];
const PREFIX = "simulated-";

/** Numbered from 1. */
export const simulatedNodeName = (number: number): string => `${PREFIX}${number}`;

/** The number in the name of a simulated node; undefined for other names. */
export function numberOfNode(name: string | undefined): number | undefined {
  const digits = name?.startsWith(PREFIX) ? /^[1-9][0-9]{0,5}$/.exec(name.slice(PREFIX.length)) : null;
  return digits === null || digits === undefined ? undefined : Number(digits[0]);
}

/** From 172.16.0.0/12, so that neither pods nor usual ranges of Services are met. */
export function nodeAddress(number: number): string {
  return `172.${16 + ((number >> 16) & 15)}.${(number >> 8) & 255}.${number & 255}`;
}

export function simulatedNode(
  number: number,
  { names, capacity, nowMs }: { names: Names; capacity: Readonly<Record<string, string>>; nowMs: number },
): Draft<Node> {
  const name = simulatedNodeName(number);
  return {
    metadata: {
      name,
      labels: {
        [names.hostnameLabel]: name,
        [names.osLabel]: "linux",
        [names.archLabel]: "amd64",
        [names.betaOsLabel]: "linux",
        [names.betaArchLabel]: "amd64",
        [names.zoneLabel]: ZONES[(number - 1) % ZONES.length]!,
        [names.regionLabel]: "simulated",
        [names.instanceTypeLabel]: "simulated",
      },
    },
    status: {
      capacity: { ...capacity },
      allocatable: { ...capacity },
      conditions: nodeConditions(nowMs),
      addresses: [
        { type: "InternalIP", address: nodeAddress(number) },
        { type: names.hostnameAddress, address: name },
      ],
      nodeInfo: {
        machineID: name,
        systemUUID: name,
        bootID: name,
        kernelVersion: "simulated",
        osImage: "Simulated",
        containerRuntimeVersion: `${SIMULATED_RUNTIME}//1.0`,
        kubeletVersion: VERSION_INFO.gitVersion,
        kubeProxyVersion: "",
        operatingSystem: "linux",
        architecture: "amd64",
      },
    },
  };
}

type NodeConditions = NonNullable<Node["status"]["conditions"]>;

/** All well. */
export function nodeConditions(nowMs: number): NodeConditions {
  const now = timeOfMs(nowMs);
  const condition = (type: string, status: "True" | "False", reason: string, message: string) => ({
    type,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  return [
    condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    condition("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    condition("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
  ];
}

export const isReady = ({ status }: Node): boolean =>
  status.conditions?.some(({ type, status: is }) => type === "Ready" && is === "True") ?? false;

/**
 * What is to change in `allocatable` so that pods may have all of what others have put into `capacity`: of extended resources
 * whatever differs, as upstream's agent says, of the others only those in `changed`, for what somebody sets in `allocatable`
 * itself stays. Null takes one away; undefined when nothing is to change.
 */
export function allocatableChanges(
  { status: { capacity = {}, allocatable = {} } }: Node,
  changed: readonly string[],
  names: Names,
): Readonly<Record<string, string | null>> | undefined {
  const follows = (resource: string) => changed.includes(resource) || isExtendedResource(resource, names);
  const resources = Object.keys({ ...allocatable, ...capacity }).filter(
    (resource) => allocatable[resource] !== capacity[resource] && follows(resource),
  );
  if (resources.length === 0) return undefined;
  return Object.fromEntries(resources.map((resource) => [resource, capacity[resource] ?? null]));
}

/** Resources whose capacity a change has set without a word about what pods may have of them. */
export function changedCapacity({ status: now }: Node, { status: before }: Node): readonly string[] {
  const { capacity = {}, allocatable = {} } = now;
  const { capacity: oldCapacity = {}, allocatable: oldAllocatable = {} } = before;
  return Object.keys({ ...oldCapacity, ...capacity }).filter(
    (resource) => capacity[resource] !== oldCapacity[resource] && allocatable[resource] === oldAllocatable[resource],
  );
}

/** The sign of life of a node. */
export function nodeLease(node: { readonly name: string; readonly uid: string }, nowMs: number): Draft<Lease> {
  return {
    metadata: {
      name: node.name,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid }],
    },
    spec: {
      holderIdentity: node.name,
      leaseDurationSeconds: LEASE_SECONDS,
      renewTime: timeOfMs(nowMs, "micros"),
    },
  };
}

/** Whether it is the node's own, and was renewed so lately that others hear of it again in time. */
export function isFresh({ metadata, spec }: Lease, nodeUid: string, nowMs: number): boolean {
  const isOwn = metadata.ownerReferences?.some(({ uid }) => uid === nodeUid) ?? false;
  return isOwn && Date.parse(spec.renewTime ?? "") + FRESH_MS > nowMs;
}
