// A part of a volume that a container mounts: made where it is missing, and never outside of the volume, whatever links
// other containers have put into it. Links that stay inside are followed: the keys of ConfigMaps are such links.
//
// The path that they lead to is walked part by part through directories that are held open, so that nobody can exchange a
// part for a link between the look and the step.

import { constants } from "node:fs";
import { type FileHandle, mkdir, open, realpath } from "node:fs/promises";

/** The part leads out of its volume, or through something that is neither directory nor file. */
export class SubPathError extends Error {}

/**
 * Opens a part of a volume, and gives `use` its path on the host and the descriptor that holds it open: what becomes of the
 * path afterwards is in the hands of the containers that share the volume. Directories that are missing are made, with the
 * mode of the volume's root, unless only a part that is there will do. Fails with SubPathError where the part would leave the
 * volume.
 */
export async function withSubPath<T>(
  volume: string,
  subPath: string,
  use: (path: string, descriptor: number) => Promise<T>,
  { makes = true }: { readonly makes?: boolean } = {},
): Promise<T> {
  const root = await realpath(volume);
  const parts = await resolvedParts(root, partsOf(subPath), subPath);
  let held = await open(root, DIRECTORY);
  try {
    for (const [index, part] of parts.entries()) {
      const next = await step(held, part, { isLast: index === parts.length - 1, makes, subPath });
      await held.close();
      held = next;
    }
    const reached = await realpath(selfPath(held));
    if (reached !== root && !reached.startsWith(`${root}/`)) throw outside(subPath);
    return await use(reached, held.fd);
  } finally {
    await held.close();
  }
}

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Opens whatever is there without reading it: sockets and pipes too, but never what a link points to. */
const ANYTHING = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function partsOf(subPath: string): string[] {
  if (subPath.startsWith("/") || subPath.includes("\0")) throw outside(subPath);
  const parts = subPath.split("/").filter((part) => part !== "" && part !== ".");
  if (parts.includes("..")) throw outside(subPath);
  return parts;
}

/** The parts that lead to the same place without a link. Of a path that is not there yet, the parts as they are. */
async function resolvedParts(root: string, parts: string[], subPath: string): Promise<string[]> {
  const target = await realpath([root, ...parts].join("/")).catch((error: unknown) => {
    if (isErrno(error, "ENOENT")) return undefined;
    throw problemOf(error, subPath);
  });
  if (target === undefined) return parts;
  if (target === root) return [];
  if (!target.startsWith(`${root}/`)) throw outside(subPath);
  return target.slice(root.length + 1).split("/");
}

const selfPath = (handle: FileHandle, part = ""): string =>
  `/proc/self/fd/${handle.fd}${part === "" ? "" : `/${part}`}`;

interface Step {
  readonly isLast: boolean;
  readonly makes: boolean;
  /** Of which it is a part. */
  readonly subPath: string;
}

async function step(held: FileHandle, part: string, { isLast, makes, subPath }: Step): Promise<FileHandle> {
  const path = selfPath(held, part);
  const flags = isLast ? ANYTHING : DIRECTORY;
  try {
    return await open(path, flags);
  } catch (error) {
    if (!makes || !isErrno(error, "ENOENT")) throw problemOf(error, subPath);
  }
  const isMade = await mkdir(path).then(
    () => true,
    (error: unknown) => {
      // Somebody else may have made it meanwhile.
      if (isErrno(error, "EEXIST")) return false;
      throw error;
    },
  );
  const next = await open(path, flags).catch((error: unknown) => {
    throw problemOf(error, subPath);
  });
  if (!isMade) return next;
  try {
    // The mask of this process has its say about the mode that a directory is made with.
    await next.chmod((await held.stat()).mode & MODE_BITS);
    return next;
  } catch (error) {
    await next.close();
    throw error;
  }
}

const MODE_BITS = 0o7777;

function problemOf(error: unknown, subPath: string): unknown {
  return isErrno(error, "ELOOP") || isErrno(error, "ENOTDIR") ? outside(subPath) : error;
}

const isErrno = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const outside = (subPath: string): SubPathError =>
  new SubPathError(`subPath ${JSON.stringify(subPath.slice(0, 256))} does not stay in its volume`);
