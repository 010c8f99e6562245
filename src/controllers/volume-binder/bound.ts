// How a volume and a claim look that have found each other. Pure; undefined where nothing has to be changed.

import { cloneJson, equalJson } from "../../base/json.ts";
import type { Names } from "../../meta/names.ts";
import { type Claim, isKeptFor, type Volume } from "./match-volume.ts";

export function boundVolume(volume: Volume, claim: Claim, names: Names): Volume | undefined {
  const { name, namespace = "", uid, resourceVersion } = claim.metadata;
  if (volume.spec.claimRef?.uid === uid) return undefined;
  const changed = cloneJson(volume);
  // What a user kept for the claim stays the user's word.
  if (!isKeptFor(volume, claim))
    changed.metadata.annotations = { ...changed.metadata.annotations, [names.boundByControllerAnnotation]: "yes" };
  changed.spec.claimRef = { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid, resourceVersion };
  return changed;
}

export function boundClaim(claim: Claim, volume: Volume, names: Names): Claim | undefined {
  const { boundByControllerAnnotation, bindCompletedAnnotation } = names;
  const changed = cloneJson(claim);
  const byUser = claim.spec.volumeName === volume.metadata.name;
  changed.spec.volumeName = volume.metadata.name;
  changed.metadata.annotations = {
    ...changed.metadata.annotations,
    ...(byUser ? {} : { [boundByControllerAnnotation]: "yes" }),
    [bindCompletedAnnotation]: "yes",
  };
  return equalJson(changed, claim) ? undefined : changed;
}

/** What the volume had when they were bound: later changes of its size come from whoever resizes it. */
export function boundStatus({ status }: Claim, { spec }: Volume): Claim["status"] {
  if (status.phase === "Bound" && status.capacity !== undefined) {
    return { ...status, ...(spec.accessModes === undefined ? {} : { accessModes: spec.accessModes }) };
  }
  const { accessModes, capacity, volumeAttributesClassName } = spec;
  return {
    ...status,
    phase: "Bound",
    ...(accessModes === undefined ? {} : { accessModes }),
    ...(capacity === undefined ? {} : { capacity }),
    ...(volumeAttributesClassName ? { currentVolumeAttributesClassName: volumeAttributesClassName } : {}),
  };
}
