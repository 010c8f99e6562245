// How full the volumes of a pod are. Who made a volume knows best; else its file system, or its files where it is only a
// directory of the node's disk.

import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { promisify } from "node:util";
import type { Clock } from "../../base/clock.ts";
import type { ReadyVolume } from "../volumes/pod-volumes.ts";
import { type DiskUsage, diskUsage } from "./disk-usage.ts";

const run = promisify(execFile);

export interface VolumeUsage extends DiskUsage {
  /** The claim that has the volume. */
  readonly claim: string | undefined;
  readonly capacityBytes: number | undefined;
  readonly availableBytes: number | undefined;
  readonly capacityInodes: number | undefined;
  readonly freeInodes: number | undefined;
}

/** `source` is who was asked how full a volume is: `csi:DRIVER`, its file system (`statfs`) or its files (`du`). */
export interface Measuring {
  readonly clock: Clock;
  readonly onMeasured: (source: string, seconds: number) => void;
}

/** Without those that cannot be measured: images, devices, whatever does not answer. */
export async function measureVolumes(
  volumes: ReadonlyMap<string, ReadyVolume>,
  { clock, onMeasured }: Measuring,
): Promise<Map<string, VolumeUsage>> {
  const measured = new Map<string, VolumeUsage>();
  for (const [name, volume] of volumes) {
    const startedMs = clock.monotonicMs();
    const told = (source: string) => onMeasured(source, (clock.monotonicMs() - startedMs) / 1000);
    const usage = await measureVolume(volume, told).catch(() => undefined);
    if (usage !== undefined) measured.set(name, usage);
  }
  return measured;
}

async function measureVolume(
  volume: ReadyVolume,
  measured: (source: string) => void,
): Promise<VolumeUsage | undefined> {
  const { path, image, isDevice, isOfHost, isRemote, claim, measure } = volume;
  if (image !== undefined || isOfHost) return undefined;
  const told = await measure?.();
  if (told?.bytes !== undefined) {
    const { bytes, inodes } = told;
    measured(sourceOf(volume));
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
  // Whoever was asked in vain may speak for another machine.
  const isElsewhere = isRemote || measure !== undefined;
  const { blocks, bfree, bavail, bsize, files, ffree } = await (isElsewhere ? statfsApart(path) : statfs(path));
  const whole = { bytes: (blocks - bfree) * bsize, inodes: files - ffree };
  const isFolder = claim === undefined && !isRemote;
  const used = isFolder ? await diskUsage(path) : whole;
  measured(isFolder ? "du" : "statfs");
  const capacity = { capacityBytes: blocks * bsize, availableBytes: bavail * bsize };
  return { claim, ...used, ...capacity, capacityInodes: files, freeInodes: ffree };
}

type Facts = Record<"blocks" | "bfree" | "bavail" | "bsize" | "files" | "ffree", number>;

/** In a process that can be ended: of a server that does not answer a thread here would wait for ever. */
async function statfsApart(path: string): Promise<Facts> {
  const options = { timeout: SILENCE_MS, killSignal: "SIGKILL" } as const;
  const { stdout } = await run("stat", ["-f", "-c", "%b %f %a %S %c %d", "--", path], options);
  const [blocks = 0, bfree = 0, bavail = 0, bsize = 0, files = 0, ffree = 0] = stdout.trim().split(" ").map(Number);
  return { blocks, bfree, bavail, bsize, files, ffree };
}

const SILENCE_MS = 10_000;

/** The name of a plug-in begins with the domain of the platform. */
const sourceOf = ({ plugin = "csi" }: ReadyVolume): string => plugin.slice(plugin.indexOf("/") + 1);
