// Gives the files of a volume to the group of a pod, so that whoever runs in it may use them.

import type { Dirent, Stats } from "node:fs";
import { chmod, lchown, lstat, opendir } from "node:fs/promises";
import { join } from "node:path";

/** What the group may do with files, and with directories: new files in these belong to it too. */
const FILE_MODE = 0o660;
const DIRECTORY_MODE = 0o2770;

/** With "OnRootMismatch" nothing is done where the volume's own directory is the group's already. */
export async function takeOwnership(
  root: string,
  gid: number,
  policy: "OnRootMismatch" | "Always" | (string & {}) | undefined,
): Promise<void> {
  const top = await lstat(root);
  if (policy === "OnRootMismatch" && isTaken(top, gid)) return;
  const open = top.isDirectory() ? [root] : [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for await (const entry of (await opendir(next)) as AsyncIterable<Dirent>) {
      const path = join(next, entry.name);
      const found = await lstat(path);
      if (found.isDirectory()) open.push(path);
      await take(path, found, gid);
    }
  }
  // Last, so that one that was interrupted is not taken to be done.
  await take(root, top, gid);
}

async function take(path: string, { uid, gid: before, mode }: Stats, gid: number): Promise<void> {
  if (before !== gid) await lchown(path, uid, gid);
  // The mode of a link is that of nothing.
  if ((mode & S_IFMT) === S_IFLNK) return;
  const wanted = mode | ((mode & S_IFMT) === S_IFDIR ? DIRECTORY_MODE : FILE_MODE);
  if (wanted !== mode || before !== gid) await chmod(path, wanted & 0o7777);
}

const S_IFMT = 0o170000;
const S_IFLNK = 0o120000;
const S_IFDIR = 0o040000;

function isTaken({ gid: own, mode }: Stats, gid: number): boolean {
  return own === gid && (mode & DIRECTORY_MODE) === DIRECTORY_MODE;
}
