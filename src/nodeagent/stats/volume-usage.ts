// How full the volumes of a pod are. Who made a volume knows best; else its file system, or its files where it is only a
// directory of the node's disk.

import { statfs } from "node:fs/promises";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { type DiskUsage, diskUsage } from "./disk-usage.ts";

export interface VolumeUsage extends DiskUsage {
  /** The claim that has the volume. */
  readonly claim: string | undefined;
  readonly capacityBytes: number | undefined;
  readonly availableBytes: number | undefined;
  readonly capacityInodes: number | undefined;
  readonly freeInodes: number | undefined;
}

/** Without those that cannot be measured: images, devices, whatever does not answer. */
export async function measureVolumes(volumes: ReadonlyMap<string, ReadyVolume>): Promise<Map<string, VolumeUsage>> {
  const measured = new Map<string, VolumeUsage>();
  for (const [name, volume] of volumes) {
    const usage = await measureVolume(volume).catch(() => undefined);
    if (usage !== undefined) measured.set(name, usage);
  }
  return measured;
}

async function measureVolume(volume: ReadyVolume): Promise<VolumeUsage | undefined> {
  const { path, image, isDevice, isOfHost, isRemote, claim, measure } = volume;
  if (image !== undefined || isOfHost) return undefined;
  const told = await measure?.();
  if (told?.bytes !== undefined) {
    const { bytes, inodes } = told;
    return {
      claim,
      bytes: bytes.used,
      capacityBytes: bytes.total,
      availableBytes: bytes.available,
      inodes: inodes?.used ?? 0,
      capacityInodes: inodes?.total,
      freeInodes: inodes?.available,
    };
  }
  if (isDevice) return undefined;
  const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(path);
  const whole = { bytes: (blocks - bfree) * bsize, inodes: files - ffree };
  const used = claim === undefined && !isRemote ? await diskUsage(path) : whole;
  const capacity = { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
  return { claim, ...used, ...capacity, capacityInodes: files, freeInodes: ffree };
}
