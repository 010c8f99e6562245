// What happens next with a claim: it is bound, waits, asks for a volume to be made, or has lost its volume. Pure.

import type { StorageClass } from "../../kinds/storage/storage-class.ts";
import type { Names } from "../../meta/names.ts";
import { bestVolume, type Claim, classOf, isKeptFor, mismatch, type Volume } from "./match-volume.ts";

/** What users are told. */
export interface Said {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

type ClaimStep =
  | { readonly type: "bind"; readonly volume: Volume }
  | { readonly type: "wait"; readonly said?: Said }
  /** Somebody outside makes the volume, once the claim names him. */
  | { readonly type: "provision"; readonly provisioner: string; readonly said: Said }
  /** The default class came after the claim. */
  | { readonly type: "take class"; readonly className: string }
  | { readonly type: "lost"; readonly said: Said };

export interface VolumesAround {
  volume(name: string): Volume | undefined;
  /** Those of a class. */
  volumesOf(className: string): Iterable<Volume>;
  /** Those that name the claim, of whatever class. */
  volumesFor(claim: Claim): Iterable<Volume>;
  storageClass(name: string): StorageClass | undefined;
  /** The name of the default class. */
  readonly defaultClass: string | undefined;
  /** The names of pods that use the claim and are on no node yet. */
  waitingPods(claim: Claim): readonly string[];
}

export function judgeClaim(claim: Claim, around: VolumesAround, names: Names): ClaimStep {
  if (claim.metadata.annotations?.[names.bindCompletedAnnotation] !== undefined) return judgeBound(claim, around);
  const { volumeName } = claim.spec;
  return volumeName ? judgeNamed(claim, around.volume(volumeName), names) : judgeUnbound(claim, around, names);
}

function judgeBound(claim: Claim, around: VolumesAround): ClaimStep {
  const lost = (reason: string, message: string): ClaimStep => ({ type: "lost", said: warning(reason, message) });
  const { volumeName } = claim.spec;
  if (!volumeName)
    return lost("ClaimLost", "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!");
  const volume = around.volume(volumeName);
  if (volume === undefined)
    return lost("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!");
  const { claimRef } = volume.spec;
  if (claimRef === undefined || claimRef.uid === claim.metadata.uid) return { type: "bind", volume };
  return lost("ClaimMisbound", "Two claims are bound to the same volume, this one is bound incorrectly");
}

/** The user wants this volume and no other. */
function judgeNamed(claim: Claim, volume: Volume | undefined, names: Names): ClaimStep {
  if (volume === undefined) return { type: "wait" };
  const { name } = volume.metadata;
  if (volume.spec.claimRef === undefined) {
    const why = mismatch(volume, claim, names);
    if (why === undefined) return { type: "bind", volume };
    return { type: "wait", said: warning("VolumeMismatch", `Cannot bind to requested volume "${name}": ${why}`) };
  }
  if (isKeptFor(volume, claim)) return { type: "bind", volume };
  return { type: "wait", said: warning("FailedBinding", `volume "${name}" already bound to a different claim.`) };
}

function judgeUnbound(claim: Claim, around: VolumesAround, names: Names): ClaimStep {
  const className = classOf(claim, names);
  const storageClass = className === "" ? undefined : around.storageClass(className);
  const isWaiting = storageClass?.volumeBindingMode === "WaitForFirstConsumer";
  const candidates = [...around.volumesFor(claim), ...around.volumesOf(className)];
  const volume = bestVolume(claim, candidates, isWaiting, names);
  if (volume !== undefined) return { type: "bind", volume };

  const { annotations = {} } = claim.metadata;
  const hasClass =
    claim.spec.storageClassName !== undefined || annotations[names.betaStorageClassAnnotation] !== undefined;
  if (!hasClass && around.defaultClass !== undefined) return { type: "take class", className: around.defaultClass };
  if (isWaiting && annotations[names.selectedNodeAnnotation] === undefined)
    return { type: "wait", said: waitWords(around.waitingPods(claim)) };
  if (className === "") return { type: "wait", said: normal("FailedBinding", NO_CLASS) };
  const failed = (message: string): ClaimStep => ({ type: "wait", said: warning("ProvisioningFailed", message) });
  if (storageClass === undefined) return failed(`storageclass.${names.group("storage")} "${className}" not found`);
  const { provisioner } = storageClass;
  if (provisioner === names.noProvisioner) return failed(`no volume plugin matched name: ${provisioner}`);
  return { type: "provision", provisioner, said: normal("ExternalProvisioning", outsideWords(provisioner)) };
}

function waitWords(pods: readonly string[]): Said {
  if (pods.length === 0)
    return normal("WaitForFirstConsumer", "waiting for first consumer to be created before binding");
  const whom = pods.length === 1 ? `pod ${pods[0]}` : `pods ${pods.join(",")}`;
  return normal("WaitForPodScheduled", `waiting for ${whom} to be scheduled`);
}

const NO_CLASS = "no persistent volumes available for this claim and no storage class is set";

const outsideWords = (provisioner: string): string =>
  `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system ` +
  "administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.";

const normal = (reason: string, message: string): Said => ({ type: "Normal", reason, message });
const warning = (reason: string, message: string): Said => ({ type: "Warning", reason, message });
