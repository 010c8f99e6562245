// Entries of an archive as files below one place. Nothing of the archive can be written anywhere else: names are checked,
// links are never made, and links that are there already are not followed.

import { constants } from "node:fs";
import { type FileHandle, lstat, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readTar, TarError } from "./read-tar.ts";

interface ExtractOptions {
  /** What the archive calls the thing that was asked for: `web` for `./web`, `web/a`. Empty for `.`. */
  readonly root: string;
  /** Where that thing is written to when it is a folder. */
  readonly target: string;
  /** Where it is written to when it is a file. */
  readonly targetOfFile: string;
  /** Told of what is left out. */
  readonly onSkipped: (name: string, why: string) => void;
}

/** How many files were written. Fails with TarError. */
export async function extractTar(pieces: AsyncIterable<Uint8Array>, options: ExtractOptions): Promise<number> {
  const { root, target, targetOfFile, onSkipped } = options;
  let files = 0;
  for await (const entry of readTar(pieces)) {
    const parts = partsBelow(entry.name, root);
    if (parts === undefined) {
      onSkipped(entry.name, "it is outside of what was asked for");
      continue;
    }
    if (entry.type === "folder") {
      await makeFolder(target, parts);
    } else if (entry.type === "file" && parts.length === 0) {
      await mkdir(dirname(targetOfFile), { recursive: true });
      await writeFile(targetOfFile, entry.mode, entry.content);
      files += 1;
    } else if (entry.type === "file") {
      await makeFolder(target, parts.slice(0, -1));
      await writeFile(join(target, ...parts), entry.mode, entry.content);
      files += 1;
    } else onSkipped(entry.name, entry.type === "link" ? "links are not followed" : "it is no file");
  }
  return files;
}

/** `web/../../x` is refused, not resolved. Undefined for what is not below the root. */
function partsBelow(name: string, root: string): string[] | undefined {
  if (name.includes("\0")) return undefined;
  const parts = name.split("/").filter((part) => part !== "" && part !== ".");
  if (name.startsWith("/") || parts.includes("..")) return undefined;
  if (root === "") return parts;
  return parts[0] === root ? parts.slice(1) : undefined;
}

/** One folder after the other, so that a link among them is seen. */
async function makeFolder(target: string, parts: readonly string[]): Promise<void> {
  await mkdir(target, { recursive: true });
  let path = target;
  for (const part of parts) {
    path = join(path, part);
    await mkdir(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
    if (!(await lstat(path)).isDirectory())
      throw new TarError(`${JSON.stringify(path)} is in the way: it is no folder`);
  }
}

const { O_CREAT, O_NOFOLLOW, O_TRUNC, O_WRONLY } = constants;

async function writeFile(path: string, mode: number, content: AsyncIterable<Uint8Array>): Promise<void> {
  const file = await openFile(path, mode);
  try {
    for await (const piece of content) await file.write(piece);
  } finally {
    await file.close();
  }
}

async function openFile(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, O_CREAT | O_TRUNC | O_WRONLY | O_NOFOLLOW, mode);
  } catch (error) {
    throw new TarError(`cannot write ${JSON.stringify(path)}: ${(error as Error).message}`);
  }
}
