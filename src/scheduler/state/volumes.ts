// What the scheduler knows of volumes: claims, volumes, classes, and which volumes are promised to claims but not yet bound.

import type { Stored } from "../../client/informer.ts";
import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import type { StorageClass } from "../../kinds/storage/storage-class.ts";
import type { DriverLookup } from "./drivers.ts";

export interface VolumeLookup {
  claim(namespace: string, name: string): Stored<PersistentVolumeClaim> | undefined;
  volume(name: string): Stored<PersistentVolume> | undefined;
  /** Those of a class, in no order. */
  volumesOf(className: string): Iterable<Stored<PersistentVolume>>;
  storageClass(name: string): StorageClass | undefined;
  /** The claim ("namespace/name") to which a volume is promised, before the server says so. */
  promisedTo(volumeName: string): string | undefined;
  readonly drivers: DriverLookup;
  /** Names of the dialect. */
  readonly annotations: { readonly bindCompleted: string; readonly selectedNode: string; readonly betaClass: string };
  /** The provisioner of classes whose volumes nobody makes. */
  readonly noProvisioner: string;
}

/** The class of a claim: its field, or the annotation of old. */
export function classOfClaim(claim: PersistentVolumeClaim, { annotations }: VolumeLookup): string {
  const old = claim.metadata.annotations ?? {};
  return Object.hasOwn(old, annotations.betaClass)
    ? (old[annotations.betaClass] ?? "")
    : (claim.spec.storageClassName ?? "");
}

/** Whether claim and volume have found each other, for good. */
export function isBound({ metadata, spec }: PersistentVolumeClaim, { annotations }: VolumeLookup): boolean {
  return !!spec.volumeName && Object.hasOwn(metadata.annotations ?? {}, annotations.bindCompleted);
}
