// A directory of files that changes as a whole: readers see all of the old files or all of the new ones.
//
//   volume/..2030_01_01_00_00_00.123/key   the files, in a directory of their own
//   volume/..data -> ..2030_01_01_00_00_00.123   renamed over the old link in one step
//   volume/key -> ..data/key               made once for each first part of a path

import {
  chmod,
  chown,
  lstat,
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join, sep } from "node:path";

export interface FileContent {
  readonly bytes: Uint8Array;
  readonly mode: number;
  /** The user that owns the file; root when not given. */
  readonly uid?: number | undefined;
}

/** The files by their paths: relative, without `..`, and not beginning with it. */
type Files = ReadonlyMap<string, FileContent>;

interface DirectoryOptions {
  /** Names the directory of this version; must not repeat. */
  readonly version: string;
  readonly gid?: number | undefined;
}

/** Makes the directory hold exactly these files. Does nothing, and says false, when it does already. */
export async function writeFiles(
  directory: string,
  files: Files,
  { version, gid }: DirectoryOptions,
): Promise<boolean> {
  for (const path of files.keys()) checkPath(path);
  const current = await currentVersion(directory);
  if (current !== undefined && (await holdsExactly(join(directory, current), files))) {
    await linkAll(directory, files);
    return false;
  }
  const next = `..${version}`;
  await writeVersion(join(directory, next), files, gid).catch(async (error: unknown) => {
    // Files that cannot stand beside one another are tried again and again: none of it may stay.
    await rm(join(directory, next), { recursive: true, force: true });
    throw error;
  });
  await symlink(next, join(directory, `${DATA}_tmp`)).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    await unlink(join(directory, `${DATA}_tmp`));
    await symlink(next, join(directory, `${DATA}_tmp`));
  });
  await rename(join(directory, `${DATA}_tmp`), join(directory, DATA));
  await linkAll(directory, files);
  await dropOld(directory, files, next);
  return true;
}

const DATA = "..data";

function checkPath(path: string): void {
  const parts = path.split("/");
  if (path === "" || path.startsWith("/") || path.startsWith("..") || parts.includes("..") || path.includes("\0"))
    throw new Error(`the path ${JSON.stringify(path)} does not stay in the volume`);
}

async function currentVersion(directory: string): Promise<string | undefined> {
  return await readlink(join(directory, DATA)).catch(() => undefined);
}

async function writeVersion(target: string, files: Files, gid: number | undefined): Promise<void> {
  await mkdir(target, { mode: 0o755 });
  await chmod(target, 0o755);
  for (const [path, { bytes, mode, uid }] of files) {
    const file = join(target, path);
    await mkdir(dirname(file), { recursive: true, mode: 0o755 });
    await writeFile(file, bytes, { mode });
    // The mode of a new file is cut by the process's mask.
    await chmod(file, mode);
    if (uid !== undefined || gid !== undefined)
      await chown(file, uid ?? process.getuid?.() ?? 0, gid ?? process.getgid?.() ?? 0);
  }
}

async function holdsExactly(version: string, files: Files): Promise<boolean> {
  try {
    let count = 0;
    for (const entry of await readdir(version, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      count += 1;
      if (count > files.size) return false;
    }
    if (count !== files.size) return false;
    for (const [path, { bytes, mode }] of files) {
      const file = join(version, path);
      if (((await lstat(file)).mode & 0o777) !== mode || Buffer.compare(await readFile(file), bytes) !== 0)
        return false;
    }
    return true;
  } catch {
    return false;
  }
}

const firstPart = (path: string): string => path.split("/")[0]!;

async function linkAll(directory: string, files: Files): Promise<void> {
  for (const name of new Set([...files.keys()].map(firstPart))) {
    await symlink(join(DATA, name), join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Links to files that are no more, and versions before this one. */
async function dropOld(directory: string, files: Files, version: string): Promise<void> {
  const wanted = new Set([...files.keys()].map(firstPart));
  for (const name of await readdir(directory)) {
    if (name === DATA || name === version || wanted.has(name) || name.includes(sep)) continue;
    await rm(join(directory, name), { recursive: true, force: true });
  }
}
