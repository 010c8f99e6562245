// Gives the files of a volume to the group of a pod, so that whoever runs in it may use them.
//
// Containers of other pods may share the volume, and exchange a directory or a file for a link between a look and a change:
// whatever is changed is held, and reached through what is held.

import { constants, type Dirent, type Stats } from "node:fs";
import { chmod, chown, type FileHandle, lchown, lstat, open, opendir } from "node:fs/promises";

/** What the group may do with files, and with directories: new files in these belong to it too. */
const FILE_MODE = 0o660;
const DIRECTORY_MODE = 0o2770;
/** So many directories inside one another are held at once; no path could name what is far below. */
const MAX_DEPTH = 1_000;
/** Holds whatever is there, links too, without opening it: Linux's O_PATH, which node has no name for. */
const HELD = 0o10000000 | constants.O_NOFOLLOW;

/** With "OnRootMismatch" nothing is done where the volume's own directory is the group's already. */
export async function takeOwnership(
  root: string,
  gid: number,
  policy: "OnRootMismatch" | "Always" | (string & {}) | undefined,
): Promise<void> {
  const held = await open(root, HELD);
  try {
    const top = await held.stat();
    if (policy === "OnRootMismatch" && isTaken(top, gid)) return;
    if (top.isDirectory()) await takeBelow(held, gid, 1);
    // Last, so that one that was interrupted is not taken to be done.
    await take(root, held, gid);
  } finally {
    await held.close();
  }
}

async function takeBelow(directory: FileHandle, gid: number, depth: number): Promise<void> {
  if (depth > MAX_DEPTH) throw new Error(`the volume has more than ${MAX_DEPTH} directories inside one another`);
  for await (const { name } of (await opendir(pathOf(directory))) as AsyncIterable<Dirent>) {
    const path = `${pathOf(directory)}/${name}`;
    const found = await lstat(path).catch(ifThere);
    // Most files are the group's already; whoever has them exchanged now keeps what is put there from being taken.
    if (found === undefined || (!found.isDirectory() && !changesOf(found, gid))) continue;
    const held = await open(path, HELD).catch(ifThere);
    if (held === undefined) continue;
    try {
      if ((await held.stat()).isDirectory()) await takeBelow(held, gid, depth + 1);
      await take(path, held, gid);
    } finally {
      await held.close();
    }
  }
}

const pathOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/** Others may remove files meanwhile. */
function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT") throw error;
}

async function take(path: string, held: FileHandle, gid: number): Promise<void> {
  const found = await held.stat();
  const { uid, gid: before, mode } = found;
  if (!changesOf(found, gid)) return;
  // The mode of a link is that of nothing.
  if (found.isSymbolicLink()) return await lchown(path, uid, gid);
  if (before !== gid) await chown(pathOf(held), uid, gid);
  await chmod(pathOf(held), wantedMode(mode) & 0o7777);
}

function changesOf({ gid: before, mode }: Stats, gid: number): boolean {
  return before !== gid || ((mode & S_IFMT) !== S_IFLNK && wantedMode(mode) !== mode);
}

const wantedMode = (mode: number): number => mode | ((mode & S_IFMT) === S_IFDIR ? DIRECTORY_MODE : FILE_MODE);

const S_IFMT = 0o170000;
const S_IFLNK = 0o120000;
const S_IFDIR = 0o040000;

function isTaken({ gid: own, mode }: Stats, gid: number): boolean {
  return own === gid && (mode & DIRECTORY_MODE) === DIRECTORY_MODE;
}
