// Deletes the folder of a volume below /tmp of the manager's own machine.

import { realpath, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";

const TMP = "/tmp";

/** Fails when it is not there after all links are followed: who names a folder may also make links. */
export async function deleteFolder(path: string): Promise<void> {
  const whole = resolve(path);
  const [root, parent] = await Promise.all([realpath(TMP), realpathOrNone(dirname(whole))]);
  if (parent === undefined) return;
  if (parent !== root && !parent.startsWith(`${root}/`))
    throw new Error(`host_path deleter only supports /tmp/.+ but received provided ${path}`);
  await rm(join(parent, basename(whole)), { recursive: true, force: true });
}

async function realpathOrNone(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
