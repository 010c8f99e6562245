// Filter: the devices that the pod's claims have can be used on the node, or there are some for those that have none. Pure.

import { type NodeMatcher, nodeSelectorMatcher } from "../../kinds/core/node-matcher.ts";
import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";
import type { DeviceRequest } from "../../kinds/resource/resource-claim-spec.ts";
import { type AllocationOutcome, allocate, type Patience } from "../devices/allocate.ts";
import { claimsOfPod, isReservedFor } from "../devices/pod-claims.ts";
import { claimName } from "../devices/requests.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { type Filter, type NodeRefusal, refusal } from "./filter.ts";

const NOT_ENOUGH = refusal("DynamicResources", "cannot allocate all claims");
const TOO_LONG = refusal("DynamicResources", "timed out trying to allocate devices");
const ELSEWHERE = refusal("DynamicResources", "resourceclaim not available on the node");

/**
 * Devices that are looked at for one node, and for one pod: about a hundredth and half a second. The scheduler lets others
 * have their turn between nodes.
 */
const STEPS_PER_NODE = 20_000;
const STEPS_PER_POD = 1_000_000;

export const dynamicResources: Filter = (pod, { devices }) => {
  if (pod.deviceClaims.length === 0) return undefined;
  const sorted = sortClaims(pod, devices);
  if ("refusesAll" in sorted) return sorted;
  const { allocated, waiting } = sorted;
  const ofPod: Patience = { steps: STEPS_PER_POD };
  return (node) => {
    const outcome = waiting.length === 0 ? undefined : allocateWithin(ofPod, waiting, node, devices);
    if (outcome?.type === "none") return NOT_ENOUGH;
    if (outcome?.type === "gave up") return TOO_LONG;
    return allocated.every(({ matcher }) => matcher === undefined || matcher.matches(node)) ? undefined : ELSEWHERE;
  };
};

/** What a pod's claims need if it goes to a node. */
export interface DevicePlan {
  readonly claims: readonly { readonly claim: DeviceClaim; readonly allocation: AllocationResult | undefined }[];
}

/** Undefined when none of its claims needs anything; throws when something does not fit any more. */
export function devicePlanFor(pod: PodInfo, node: NodeInfo, devices: DeviceLookup): DevicePlan | undefined {
  if (pod.deviceClaims.length === 0) return undefined;
  const sorted = sortClaims(pod, devices);
  if ("refusesAll" in sorted) throw new Error(sorted.refusesAll.reasons[0]);
  const { allocated, waiting } = sorted;
  const outcome = allocateWithin({ steps: STEPS_PER_NODE }, waiting, node, devices);
  if (outcome.type !== "found") throw new Error("claim allocation not found for node");
  const claims = [
    ...allocated
      .filter(({ claim }) => !isReservedFor(claim, pod))
      .map(({ claim }) => ({ claim, allocation: undefined })),
    ...waiting.map((claim, at) => ({ claim, allocation: outcome.allocations[at] })),
  ];
  return claims.length === 0 ? undefined : { claims };
}

/**
 * A claim of the pod whose devices are not where the pod could run, and that nobody uses: without its devices it may get
 * others there. `refusals` are those of nodes.
 */
export function claimToFree(
  pod: PodInfo,
  refusals: ReadonlyMap<NodeInfo, NodeRefusal>,
  devices: DeviceLookup,
): DeviceClaim | undefined {
  const nodes = [...refusals].filter(([, refused]) => refused === ELSEWHERE).map(([node]) => node);
  const sorted = nodes.length === 0 ? undefined : sortClaims(pod, devices);
  if (sorted === undefined || "refusesAll" in sorted) return undefined;
  return sorted.allocated.find(
    ({ claim, matcher }) =>
      (claim.status.reservedFor ?? []).every(({ uid }) => uid === pod.uid) &&
      nodes.some((node) => matcher?.matches(node) === false),
  )?.claim;
}

interface SortedClaims {
  /** With the nodes on which the devices can be used; undefined: all. */
  readonly allocated: readonly { readonly claim: DeviceClaim; readonly matcher: NodeMatcher | undefined }[];
  readonly waiting: readonly DeviceClaim[];
}

function sortClaims(pod: PodInfo, devices: DeviceLookup): SortedClaims | { readonly refusesAll: NodeRefusal } {
  const refuseAll = (reason: string) => ({ refusesAll: refusal("DynamicResources", reason) });
  const found = claimsOfPod(pod, devices);
  if ("missing" in found) return refuseAll(found.missing);
  const allocated: SortedClaims["allocated"][number][] = [];
  const waiting: DeviceClaim[] = [];
  for (const claim of found.claims) {
    const { allocation } = claim.status;
    if (allocation !== undefined) {
      const terms = allocation.nodeSelector?.nodeSelectorTerms;
      allocated.push({ claim, matcher: terms === undefined ? undefined : nodeSelectorMatcher(terms ?? []) });
      continue;
    }
    if (devices.isBeingAllocated(claim.metadata.uid))
      return refuseAll(`resource claim ${claimName(claim)} is in the process of being allocated`);
    const problem = (claim.spec.devices?.requests ?? []).flatMap((each) => problemOf(each, claim, devices) ?? [])[0];
    if (problem !== undefined) return refuseAll(problem);
    waiting.push(claim);
  }
  return { allocated, waiting };
}

function problemOf(
  { name, exactly, firstAvailable }: DeviceRequest,
  claim: DeviceClaim,
  devices: DeviceLookup,
): string | undefined {
  if (exactly === undefined && !devices.gates.DRAPrioritizedList)
    return `resource claim ${claimName(claim)}, request ${name}: has subrequests, but the DRAPrioritizedList feature is disabled`;
  const wanted =
    exactly === undefined
      ? (firstAvailable ?? []).map((each) => ({ of: `${name}/${each.name}`, className: each.deviceClassName }))
      : [{ of: name, className: exactly.deviceClassName }];
  const missing = wanted.find(({ className }) => devices.deviceClass(className) === undefined);
  return missing && `request ${missing.of}: device class ${missing.className} does not exist`;
}

/** What is spent on a node is spent of what there is for the pod. */
function allocateWithin(
  ofPod: Patience,
  claims: readonly DeviceClaim[],
  node: NodeInfo,
  devices: DeviceLookup,
): AllocationOutcome {
  const given = Math.min(STEPS_PER_NODE, ofPod.steps);
  const patience = { steps: given };
  try {
    return allocate(claims, node, devices, patience);
  } catch (error) {
    throw new Error(`running "DynamicResources" filter plugin: ${error instanceof Error ? error.message : error}`);
  } finally {
    ofPod.steps -= given - patience.steps;
  }
}
