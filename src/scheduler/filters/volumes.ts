// Filters: the volumes of the pod can be reached from the node, or there are some that can be bound or made there. Pure.

import type { Stored } from "../../client/informer.ts";
import { type NodeMatcher, nodeSelectorMatcher } from "../../kinds/core/node-matcher.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import { selectorFromObject } from "../../meta/label-selector.ts";
import { compareQuantities, parseQuantity } from "../../meta/quantity.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import { classOfClaim, isBound, type VolumeLookup } from "../state/volumes.ts";
import { type Filter, type NodeRefusal, refusal } from "./filter.ts";

export type Claim = Stored<PersistentVolumeClaim>;
type Volume = Stored<PersistentVolume>;

const NOT_REACHABLE = refusal("VolumeBinding", "node(s) didn't match PersistentVolume's node affinity");
const NONE_TO_BIND = refusal("VolumeBinding", "node(s) didn't find available persistent volumes to bind");
const NOT_ENOUGH = refusal("VolumeBinding", "node(s) did not have enough free storage");
const VOLUME_GONE = refusal(
  "VolumeBinding",
  "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
);
const OTHER_ZONE = refusal("VolumeZone", "node(s) had no available volume zone");

export const volumeBinding: Filter = (pod, { volumes }) => {
  if (pod.claims.length === 0) return undefined;
  const sorted = sortClaims(pod, volumes);
  if ("refusesAll" in sorted) return sorted;
  const { bound, waiting } = sorted;
  const reachable = bound.map((claim) => {
    const volume = volumes.volume(claim.spec.volumeName ?? "");
    return volume === undefined ? undefined : { matcher: matcherOfVolume(volume) };
  });
  if (reachable.includes(undefined)) return () => VOLUME_GONE;
  return (node) => {
    if (reachable.some((each) => each?.matcher !== undefined && !each.matcher.matches(node))) return NOT_REACHABLE;
    const plan = planVolumes(waiting, node, volumes);
    return "refused" in plan ? plan.refused : undefined;
  };
};

/** Labels of volumes from before they had node affinity. */
export const volumeZone: Filter = (pod, { volumes, labels: { volumeZones } }) => {
  const keys = [...volumeZones.keys()];
  const wanted: { key: string; values: ReadonlySet<string> }[] = [];
  for (const { name } of pod.claims) {
    const volume = volumes.volume(volumes.claim(pod.namespace, name)?.spec.volumeName ?? "");
    const labels = volume?.metadata.labels ?? {};
    for (const key of keys)
      if (Object.hasOwn(labels, key)) wanted.push({ key, values: new Set(labels[key]!.split("__")) });
  }
  if (wanted.length === 0) return undefined;
  return ({ labels }) => {
    // Where nothing has zones, nobody asks for them.
    if (!keys.some((key) => Object.hasOwn(labels, key))) return undefined;
    const fits = wanted.every(({ key, values }) => {
      // Volumes keep the names that labels had when they were made; new nodes know only those of today.
      const own = Object.hasOwn(labels, key) ? key : volumeZones.get(key)!;
      return Object.hasOwn(labels, own) && values.has(labels[own]!);
    });
    return fits ? undefined : OTHER_ZONE;
  };
};

export interface VolumePlan {
  /** A volume that is there, for a claim. */
  readonly bind: readonly { readonly claim: Claim; readonly volume: Volume }[];
  /** Claims for which a volume is made once they say for which node. */
  readonly provision: readonly Claim[];
}

/** Claims of the pod that wait for their first consumer; what they need there if it goes to the node. */
export function volumePlanFor(pod: PodInfo, node: NodeInfo, volumes: VolumeLookup): VolumePlan | undefined {
  const sorted = sortClaims(pod, volumes);
  if ("refusesAll" in sorted) return undefined;
  const plan = planVolumes(sorted.waiting, node, volumes);
  return "refused" in plan ? undefined : plan;
}

function sortClaims(
  pod: PodInfo,
  volumes: VolumeLookup,
): { readonly bound: Claim[]; readonly waiting: Claim[] } | { readonly refusesAll: NodeRefusal } {
  const bound: Claim[] = [];
  const waiting: Claim[] = [];
  const refuseAll = (reason: string) => ({ refusesAll: refusal("VolumeBinding", reason) });
  for (const { name, isEphemeral } of pod.claims) {
    const claim = volumes.claim(pod.namespace, name);
    if (claim === undefined) {
      const unmade = `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`;
      return refuseAll(isEphemeral ? unmade : `persistentvolumeclaim "${name}" not found`);
    }
    const isOwn = claim.metadata.ownerReferences?.some(({ uid, controller }) => controller === true && uid === pod.uid);
    if (isEphemeral && !isOwn)
      return refuseAll(`PVC ${pod.namespace}/${name} was not created for pod ${pod.key} (pod is not owner)`);
    if (claim.metadata.deletionTimestamp !== undefined)
      return refuseAll(`persistentvolumeclaim "${name}" is being deleted`);
    if (claim.status.phase === "Lost")
      return refuseAll(
        `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"`,
      );
    if (isBound(claim, volumes)) bound.push(claim);
    else if (waitsForConsumer(claim, volumes)) waiting.push(claim);
    else return refuseAll("pod has unbound immediate PersistentVolumeClaims");
  }
  return { bound, waiting };
}

function waitsForConsumer(claim: Claim, volumes: VolumeLookup): boolean {
  if (claim.spec.volumeName) return false;
  return volumes.storageClass(classOfClaim(claim, volumes))?.volumeBindingMode === "WaitForFirstConsumer";
}

function planVolumes(
  claims: readonly Claim[],
  node: NodeInfo,
  volumes: VolumeLookup,
): VolumePlan | { readonly refused: NodeRefusal } {
  const bind: { claim: Claim; volume: Volume }[] = [];
  const provision: Claim[] = [];
  const taken = new Set<string>();
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[volumes.annotations.selectedNode];
    if (selected !== undefined && selected !== node.name) return { refused: NONE_TO_BIND };
    const volume = selected === undefined ? volumeFor(claim, node, volumes, taken) : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name);
      bind.push({ claim, volume });
    } else if (!canProvision(claim, node, volumes)) {
      return { refused: NONE_TO_BIND };
    } else if (!hasSpace(claim, node, volumes)) {
      return { refused: NOT_ENOUGH };
    } else {
      provision.push(claim);
    }
  }
  return { bind, provision };
}

/** The one that a user keeps for the claim, wherever that is; else the smallest. */
function volumeFor(
  claim: Claim,
  node: NodeInfo,
  volumes: VolumeLookup,
  taken: ReadonlySet<string>,
): Volume | undefined {
  let best: Volume | undefined;
  for (const volume of volumes.volumesOf(classOfClaim(claim, volumes))) {
    if (taken.has(volume.metadata.name) || !isFree(volume, claim, volumes) || !suits(volume, claim)) continue;
    const isReached = matcherOfVolume(volume)?.matches(node) !== false;
    if (volume.spec.claimRef !== undefined) return isReached ? volume : undefined;
    if (!isReached || !isSelected(volume, claim)) continue;
    if (best === undefined || capacityOf(volume) < capacityOf(best)) best = volume;
  }
  return best;
}

function isFree({ metadata, spec, status }: Volume, claim: Claim, volumes: VolumeLookup): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
  const promised = volumes.promisedTo(metadata.name);
  if (promised !== undefined) return promised === key;
  const { claimRef } = spec;
  if (claimRef === undefined) return status.phase === "Available" || status.phase === "Pending" || !status.phase;
  const isFor = `${claimRef.namespace}/${claimRef.name}` === key;
  return isFor && (!claimRef.uid || claimRef.uid === claim.metadata.uid);
}

/** Asked also of a volume that a user keeps for the claim. */
function suits({ spec }: Volume, claim: Claim): boolean {
  if ((spec.volumeMode ?? "Filesystem") !== (claim.spec.volumeMode ?? "Filesystem")) return false;
  if ((spec.volumeAttributesClassName ?? "") !== (claim.spec.volumeAttributesClassName ?? "")) return false;
  const modes = spec.accessModes ?? [];
  if (!(claim.spec.accessModes ?? []).every((mode) => modes.includes(mode))) return false;
  const wanted = parseQuantity(claim.spec.resources?.requests?.["storage"] ?? "0");
  const has = parseQuantity(spec.capacity?.["storage"] ?? "0");
  return wanted !== undefined && has !== undefined && compareQuantities(has, wanted) >= 0;
}

/** Asked where nobody has chosen for the claim. */
const isSelected = ({ metadata: { labels } }: Volume, { spec: { selector } }: Claim): boolean =>
  selector === undefined || selectorFromObject(selector).matches(labels);

const capacityOf = ({ spec }: Volume): number => {
  const quantity = parseQuantity(spec.capacity?.["storage"] ?? "0");
  return quantity === undefined ? 0 : Number(quantity.value) * 10 ** quantity.scale;
};

function canProvision(claim: Claim, node: NodeInfo, volumes: VolumeLookup): boolean {
  const storageClass = volumes.storageClass(classOfClaim(claim, volumes));
  if (storageClass === undefined || !storageClass.provisioner) return false;
  if (storageClass.provisioner === volumes.noProvisioner) return false;
  const terms = storageClass.allowedTopologies ?? [];
  if (terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions }) =>
    (matchLabelExpressions ?? []).every(
      ({ key, values }) => Object.hasOwn(node.labels, key) && (values ?? []).includes(node.labels[key]!),
    ),
  );
}

/** Where the driver says how much is left, there must be a place that the node reaches with as much as is asked for. */
function hasSpace(claim: Claim, { labels }: NodeInfo, volumes: VolumeLookup): boolean {
  const className = classOfClaim(claim, volumes);
  const { provisioner = "" } = volumes.storageClass(className) ?? {};
  const wanted = parseQuantity(claim.spec.resources?.requests?.["storage"] ?? "");
  if (wanted === undefined || !volumes.drivers.tellsCapacity(provisioner)) return true;
  for (const capacity of volumes.drivers.capacitiesNear(className, labels)) {
    const { maximumVolumeSize, capacity: left, nodeTopology } = capacity;
    const most = parseQuantity(maximumVolumeSize ?? left ?? "");
    if (most === undefined || compareQuantities(most, wanted) < 0 || nodeTopology === undefined) continue;
    if (selectorFromObject(nodeTopology).matches(labels)) return true;
  }
  return false;
}

/** Undefined: it can be reached from everywhere. */
export function matcherOfVolume(volume: Volume): NodeMatcher | undefined {
  const terms = volume.spec.nodeAffinity?.required?.nodeSelectorTerms;
  if (terms === undefined || terms === null) return undefined;
  let matcher = MATCHERS.get(volume);
  if (matcher === undefined) {
    matcher = nodeSelectorMatcher(terms);
    MATCHERS.set(volume, matcher);
  }
  return matcher;
}

/** Objects of informers never change: what was read of one stays true. */
const MATCHERS = new WeakMap<Volume, NodeMatcher>();
