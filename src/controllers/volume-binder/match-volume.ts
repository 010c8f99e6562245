// Which volume a claim gets, of those that are there. Pure.

import type { Stored } from "../../client/informer.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import { selectorFromObject } from "../../meta/label-selector.ts";
import type { Names } from "../../meta/names.ts";
import { compareQuantities, parseQuantity, type Quantity } from "../../meta/quantity.ts";

export type Claim = Stored<PersistentVolumeClaim>;
export type Volume = Stored<PersistentVolume>;

/** The class of a claim or of a volume: its field, or the annotation of old. */
export function classOf({ metadata, spec }: Claim | Volume, names: Names): string {
  return metadata.annotations?.[names.betaStorageClassAnnotation] ?? spec.storageClassName ?? "";
}

/** Whether the volume is kept for this claim, and not for one of the same name that was there before. */
export function isKeptFor({ spec: { claimRef } }: Volume, { metadata }: Claim): boolean {
  if (claimRef === undefined || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace)
    return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** Why the volume will not do for the claim; undefined when it will. */
export function mismatch(volume: Volume, claim: Claim, names: Names): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion "${volume.metadata.name}"`;
  if (!isLargeEnough(volume, claim)) return "requested PV is too small";
  if (classOf(volume, names) !== classOf(claim, names)) return "storageClassName does not match";
  if ((volume.spec.volumeAttributesClassName ?? "") !== (claim.spec.volumeAttributesClassName ?? ""))
    return "volumeAttributesClassName does not match";
  if (!hasModeOf(volume, claim)) return "incompatible volumeMode";
  if (!allows(volume, claim)) return "incompatible accessMode";
  return undefined;
}

export function hasModeOf(volume: Volume, claim: Claim): boolean {
  return (volume.spec.volumeMode ?? "Filesystem") === (claim.spec.volumeMode ?? "Filesystem");
}

/**
 * One that is kept for the claim, else the least of those that will do: with the fewest ways of access, then the smallest.
 * A claim that waits for its first consumer gets only what is kept for it.
 */
export function bestVolume(
  claim: Claim,
  volumes: Iterable<Volume>,
  isWaiting: boolean,
  names: Names,
): Volume | undefined {
  const selector = claim.spec.selector === undefined ? undefined : selectorFromObject(claim.spec.selector);
  let best: Volume | undefined;
  for (const volume of volumes) {
    if (isKeptFor(volume, claim)) {
      const isGoing = volume.metadata.deletionTimestamp !== undefined;
      if (!isGoing && isLargeEnough(volume, claim) && hasModeOf(volume, claim) && allows(volume, claim)) return volume;
      continue;
    }
    if (isWaiting || volume.spec.claimRef !== undefined || !isFree(volume)) continue;
    if (mismatch(volume, claim, names) !== undefined) continue;
    if (selector?.matches(volume.metadata.labels) === false) continue;
    if (best === undefined || compareVolumes(volume, best) < 0) best = volume;
  }
  return best;
}

/** Also before anybody has said so: a claim that waited for it would ask for another one to be made. */
export function isFree({ status: { phase } }: Volume): boolean {
  return phase === "Available" || phase === "Pending" || phase === undefined;
}

function compareVolumes(a: Volume, b: Volume): number {
  return (
    (a.spec.accessModes ?? []).length - (b.spec.accessModes ?? []).length ||
    compareQuantities(capacityOf(a), capacityOf(b)) ||
    (a.metadata.name < b.metadata.name ? -1 : 1)
  );
}

function isLargeEnough(volume: Volume, claim: Claim): boolean {
  const wanted = quantityOf(claim.spec.resources?.requests?.["storage"]);
  return compareQuantities(capacityOf(volume), wanted) >= 0;
}

function allows(volume: Volume, claim: Claim): boolean {
  const modes = volume.spec.accessModes ?? [];
  return (claim.spec.accessModes ?? []).every((mode) => modes.includes(mode));
}

const capacityOf = ({ spec }: Volume): Quantity => quantityOf(spec.capacity?.["storage"]);

const ZERO = parseQuantity("0")!;

const quantityOf = (text: string | undefined): Quantity => (text === undefined ? ZERO : (parseQuantity(text) ?? ZERO));
