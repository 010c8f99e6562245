// How much of its disk a directory holds.

import type { Dirent } from "node:fs";
import { lstat, opendir, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";

export interface DiskUsage {
  readonly bytes: number;
  readonly inodes: number;
}

export const NO_USAGE: DiskUsage = { bytes: 0, inodes: 0 };

/** What the file system counts in. */
const BLOCK_BYTES = 512;

/**
 * Of the directory and all that is in it, on its own file system; 0 of one that is not there. One entry after the other:
 * a directory of a million files takes its time and not the machine's. What vanishes meanwhile is not counted.
 */
export async function diskUsage(directory: string): Promise<DiskUsage> {
  const top = await lstat(directory).catch(() => undefined);
  if (top === undefined) return NO_USAGE;
  if (await isOwnFilesystem(directory, top.dev)) return await filesystemUsage(directory);
  let bytes = top.blocks * BLOCK_BYTES;
  let inodes = 1;
  /** Of files with several names, which count once. */
  const linked = new Set<number>();
  const open = top.isDirectory() ? [directory] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for await (const path of entriesOf(next)) {
      const found = await lstat(path).catch(() => undefined);
      if (found === undefined || found.dev !== top.dev) continue;
      if (found.isDirectory()) open.push(path);
      else if (found.nlink > 1) {
        if (linked.has(found.ino)) continue;
        linked.add(found.ino);
      }
      bytes += found.blocks * BLOCK_BYTES;
      inodes += 1;
    }
  }
  return { bytes, inodes };
}

async function* entriesOf(directory: string): AsyncIterable<string> {
  const handle = await opendir(directory).catch(() => undefined);
  if (handle === undefined) return;
  for await (const entry of handle as AsyncIterable<Dirent>) yield join(directory, entry.name);
}

/** A file system that is mounted here knows by itself what it holds. */
async function isOwnFilesystem(directory: string, device: number): Promise<boolean> {
  const above = await stat(dirname(directory)).catch(() => undefined);
  return above !== undefined && above.dev !== device;
}

async function filesystemUsage(directory: string): Promise<DiskUsage> {
  const { blocks, bfree, bsize, files, ffree } = await statfs(directory);
  return { bytes: (blocks - bfree) * bsize, inodes: files - ffree };
}
