// Filter: volumes that only one pod may use, or one pod of a node. Pure.

import type { PodInfo } from "../state/pod-info.ts";
import { type Filter, refusal } from "./filter.ts";

const IN_USE = refusal(
  "VolumeRestrictions",
  "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
  true,
);
const DISK_TAKEN = refusal("VolumeRestrictions", "node(s) had no available disk", true);

export const volumeRestrictions: Filter = (pod, { state, volumes }) => {
  const isExclusive = pod.claims.some(({ name }) => {
    const modes = volumes.claim(pod.namespace, name)?.spec.accessModes ?? [];
    return modes.includes("ReadWriteOncePod") && state.isClaimInUse(pod.namespace, name, pod.uid);
  });
  const disks = disksOf(pod);
  if (disks.length === 0) return isExclusive ? () => IN_USE : undefined;
  const wanted = new Set(disks.map(({ name }) => name));
  const written = new Set(disks.filter(({ isReadOnly }) => !isReadOnly).map(({ name }) => name));
  const isTaken = ({ name, isReadOnly }: Disk): boolean => (isReadOnly ? written : wanted).has(name);
  return ({ pods }) => {
    for (const other of pods.values()) if (disksOf(other).some(isTaken)) return DISK_TAKEN;
    return isExclusive ? IN_USE : undefined;
  };
};

type Volume = NonNullable<PodInfo["pod"]["spec"]["volumes"]>[number];

/** A disk that a pod names itself. */
interface Disk {
  readonly name: string;
  /** As many as like may read it, if nobody writes. */
  readonly isReadOnly: boolean;
}

const disksOf = ({ pod }: PodInfo): readonly Disk[] => (pod.spec.volumes ?? []).flatMap(diskOf);

function diskOf({ gcePersistentDisk: gce, awsElasticBlockStore: aws, iscsi, rbd }: Volume): readonly Disk[] {
  if (gce !== undefined) return [{ name: `gce ${gce.pdName}`, isReadOnly: gce.readOnly === true }];
  // One pod has it, whatever it does with it.
  if (aws !== undefined) return [{ name: `aws ${aws.volumeID}`, isReadOnly: false }];
  if (iscsi !== undefined) return [{ name: `iscsi ${iscsi.iqn}`, isReadOnly: iscsi.readOnly === true }];
  if (rbd === undefined) return [];
  // An image of a pool, behind each of its monitors.
  const { monitors, pool, image, readOnly } = rbd;
  const nameBehind = (monitor: string): string => `rbd ${JSON.stringify([monitor, pool, image])}`;
  return (monitors ?? []).map((monitor) => ({ name: nameBehind(monitor), isReadOnly: readOnly === true }));
}
