// What happens next with a volume: which phase it has, or that it is taken from a claim that has another one. Pure.

import type { Names } from "../../meta/names.ts";
import { type Claim, hasModeOf, type Volume } from "./match-volume.ts";

export type VolumeStep =
  | { readonly type: "phase"; readonly phase: "Available" | "Bound" | "Released" }
  /** The claim has to be bound to it. */
  | { readonly type: "ask claim" }
  /** Free again for others; or, where a user kept it for a claim by name, for one of that name. */
  | { readonly type: "free"; readonly wholly: boolean }
  | { readonly type: "mismatch" };

/** `claim` is the one that the volume refers to, as far as it is there. */
export function judgeVolume(volume: Volume, claim: Claim | undefined, names: Names): VolumeStep {
  const { claimRef } = volume.spec;
  // Kept for a claim of that name, which may come.
  if (!claimRef?.uid) return claim === undefined || !claimRef ? AVAILABLE : keptByName(volume, claim);
  if (claim === undefined || claim.metadata.uid !== claimRef.uid) return RELEASED;
  const { volumeName } = claim.spec;
  if (!volumeName) return hasModeOf(volume, claim) ? { type: "ask claim" } : { type: "mismatch" };
  if (volumeName === volume.metadata.name) return { type: "phase", phase: "Bound" };
  const { annotations = {} } = volume.metadata;
  // It was made for this claim, and nobody else shall see what is on it.
  const isMade = annotations[names.provisionedByAnnotation] !== undefined;
  if (isMade && volume.spec.persistentVolumeReclaimPolicy === "Delete") return RELEASED;
  return { type: "free", wholly: annotations[names.boundByControllerAnnotation] !== undefined };
}

function keptByName(volume: Volume, claim: Claim): VolumeStep {
  const { volumeName } = claim.spec;
  const wants = !volumeName || volumeName === volume.metadata.name;
  return wants && volume.status.phase === "Available" ? { type: "ask claim" } : AVAILABLE;
}

const AVAILABLE: VolumeStep = { type: "phase", phase: "Available" };
const RELEASED: VolumeStep = { type: "phase", phase: "Released" };
