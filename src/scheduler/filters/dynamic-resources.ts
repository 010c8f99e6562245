// Filter: the devices that the pod's claims have can be used on the node, or there are some for those that have none. Pure.

import { type NodeMatcher, nodeSelectorMatcher } from "../../kinds/core/node-matcher.ts";
import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";
import type { DeviceRequest } from "../../kinds/resource/resource-claim-spec.ts";
import { type AllocationOutcome, allocate, type Patience } from "../devices/allocate.ts";
import { bindingConditionsCount, hasBindingConditions, isBindingLost } from "../devices/binding-conditions.ts";
import { classesOfResources, extendedClaimFor, type RequestMapping } from "../devices/extended-resources.ts";
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

const STALE = refusal("DynamicResources", "cannot schedule extended resource claim");

export const dynamicResources: Filter = (pod, { devices }) => {
  const classes = classesOfResources(pod, devices);
  if (pod.deviceClaims.length === 0 && classes.size === 0) return undefined;
  const sorted = sortClaims(pod, devices);
  if ("refusesAll" in sorted) return sorted;
  const { allocated, waiting } = sorted;
  const ofPod: Patience = { steps: STEPS_PER_POD };
  // What is left of an earlier attempt has to go first.
  if (classes.size > 0 && devices.extendedClaimOf(pod.uid) !== undefined) return () => STALE;
  return (node) => {
    const extended = classes.size === 0 ? undefined : extendedClaimFor(pod, classes, node);
    const all = extended === undefined ? waiting : [...waiting, extended.claim];
    const outcome = all.length === 0 ? undefined : allocateWithin(ofPod, all, node, devices);
    if (outcome?.type === "none") return NOT_ENOUGH;
    if (outcome?.type === "gave up") return TOO_LONG;
    return allocated.every((each) => isUsable(each, node)) ? undefined : ELSEWHERE;
  };
};

export interface PlannedClaim {
  readonly claim: DeviceClaim;
  readonly allocation: AllocationResult | undefined;
  /** Only of the claim that is made for extended resources. */
  readonly extended?: {
    readonly mappings: readonly RequestMapping[];
    /** Once it is. */
    made: DeviceClaim | undefined;
  };
}

/** What a pod's claims need if it goes to a node. */
export interface DevicePlan {
  readonly claims: readonly PlannedClaim[];
  /** Names of those whose devices have to become ready before the pod is bound. */
  readonly awaited: readonly string[];
}

/** Undefined when none of its claims needs anything; throws when something does not fit any more. */
export function devicePlanFor(pod: PodInfo, node: NodeInfo, devices: DeviceLookup): DevicePlan | undefined {
  const classes = classesOfResources(pod, devices);
  if (pod.deviceClaims.length === 0 && classes.size === 0) return undefined;
  const sorted = sortClaims(pod, devices);
  if ("refusesAll" in sorted) throw new Error(sorted.refusesAll.reasons[0]);
  const { allocated, waiting } = sorted;
  const extended = extendedClaimFor(pod, classes, node);
  const all = extended === undefined ? waiting : [...waiting, extended.claim];
  const outcome = allocateWithin({ steps: STEPS_PER_NODE }, all, node, devices);
  if (outcome.type !== "found") throw new Error("claim allocation not found for node");
  const claims: PlannedClaim[] = [
    ...allocated
      .filter(({ claim }) => !isReservedFor(claim, pod))
      .map(({ claim }) => ({ claim, allocation: undefined })),
    ...waiting.map((claim, at) => ({ claim, allocation: outcome.allocations[at] })),
  ];
  if (extended !== undefined) {
    const { claim, mappings } = extended;
    claims.push({ claim, allocation: outcome.allocations.at(-1), extended: { mappings, made: undefined } });
  }
  const awaited = bindingConditionsCount(devices) ? awaitedOf(allocated, claims) : [];
  return claims.length === 0 && awaited.length === 0 ? undefined : { claims, awaited };
}

function awaitedOf(allocated: readonly AllocatedClaim[], planned: DevicePlan["claims"]): readonly string[] {
  const there = allocated.map(({ claim }) => ({ name: claim.metadata.name, allocation: claim.status.allocation }));
  const found = planned.map(({ claim, allocation }) => ({ name: claim.metadata.name, allocation }));
  return [...there, ...found].filter(({ allocation }) => hasBindingConditions(allocation)).map(({ name }) => name);
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
    (each) =>
      (each.claim.status.reservedFor ?? []).every(({ uid }) => uid === pod.uid) &&
      nodes.some((node) => !isUsable(each, node)),
  )?.claim;
}

interface AllocatedClaim {
  readonly claim: DeviceClaim;
  /** Of nodes on which the devices can be used; undefined: all. */
  readonly matcher: NodeMatcher | undefined;
  /** Its devices will never be ready. */
  readonly isLost: boolean;
}

const isUsable = ({ matcher, isLost }: AllocatedClaim, node: NodeInfo): boolean =>
  !isLost && (matcher === undefined || matcher.matches(node));

interface SortedClaims {
  readonly allocated: readonly AllocatedClaim[];
  readonly waiting: readonly DeviceClaim[];
}

function sortClaims(pod: PodInfo, devices: DeviceLookup): SortedClaims | { readonly refusesAll: NodeRefusal } {
  const refuseAll = (reason: string) => ({ refusesAll: refusal("DynamicResources", reason) });
  const found = claimsOfPod(pod, devices);
  if ("missing" in found) return refuseAll(found.missing);
  const allocated: AllocatedClaim[] = [];
  const waiting: DeviceClaim[] = [];
  for (const claim of found.claims) {
    const { allocation } = claim.status;
    if (allocation !== undefined) {
      const terms = allocation.nodeSelector?.nodeSelectorTerms;
      const matcher = terms === undefined ? undefined : nodeSelectorMatcher(terms ?? []);
      const isLost = bindingConditionsCount(devices) && isBindingLost(claim, devices.nowMs());
      allocated.push({ claim, matcher, isLost });
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
