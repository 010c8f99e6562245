// Objects that others use stay until nobody does: a finalizer holds them. Who uses what, as upstream counts. Pure.

import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { ObjectMeta } from "../../meta/object.ts";

type Protection = "add" | "ask" | "keep";

/** `add`: the finalizer is missing. `ask`: it may go once nobody uses the object. */
export function judgeProtection({ deletionTimestamp, finalizers = [] }: ObjectMeta, finalizer: string): Protection {
  const held = finalizers.includes(finalizer);
  if (deletionTimestamp === undefined) return held ? "keep" : "add";
  return held ? "ask" : "keep";
}

/** The claims of a pod: those that it names, and those that are made for it. */
export function claimNamesOf({ metadata, spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim !== undefined) return [persistentVolumeClaim.claimName];
    return ephemeral === undefined ? [] : [ephemeralClaimName(metadata.name ?? "", name)];
  });
}

const ephemeralClaimName = (pod: string, volume: string): string => `${pod}-${volume}`;

/** A pod uses a claim once it has a node: before that no agent would start it with a claim that ends. */
export function podUsesClaim(pod: Pod, claim: PersistentVolumeClaim): boolean {
  if (!pod.spec.nodeName || pod.metadata.namespace !== claim.metadata.namespace) return false;
  const { name } = claim.metadata;
  return (pod.spec.volumes ?? []).some((volume) => {
    if (volume.persistentVolumeClaim !== undefined) return volume.persistentVolumeClaim.claimName === name;
    if (volume.ephemeral === undefined || isShutDown(pod)) return false;
    return ephemeralClaimName(pod.metadata.name ?? "", volume.name) === name && isMadeFor(claim, pod);
  });
}

/** Nothing of it runs any more; finalizers may keep it, perhaps one that waits for the claim. */
const isShutDown = ({ metadata }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;

const isMadeFor = ({ metadata: { ownerReferences = [] } }: PersistentVolumeClaim, pod: Pod): boolean =>
  ownerReferences.some(({ controller, uid }) => controller === true && uid === pod.metadata.uid);

export const isVolumeUsed = ({ status }: PersistentVolume): boolean => status.phase === "Bound";

/** The attribute classes that a claim has, wants, or is on its way to. */
export function classesOfClaim({ spec, status }: PersistentVolumeClaim): string[] {
  const { volumeAttributesClassName } = spec;
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = status;
  const named = [
    volumeAttributesClassName,
    currentVolumeAttributesClassName,
    modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(named.filter((name) => typeof name === "string" && name !== ""))] as string[];
}

export function classesOfVolume({ spec: { volumeAttributesClassName: name } }: PersistentVolume): string[] {
  return name ? [name] : [];
}
