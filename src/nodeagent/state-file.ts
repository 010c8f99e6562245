// Small files that outlive the agent: read whole, and never seen half written.

import { open, rename, rm } from "node:fs/promises";
import { readSmallFile } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";

const MAX_STATE_BYTES = 16 * 1024 * 1024;

/**
 * Undefined when there is none; an empty one is none, for a machine that lost power may leave that. Fails with StartError
 * when something else stands in its place.
 */
export async function readStateFile(file: string): Promise<string | undefined> {
  try {
    const text = (await readSmallFile(file, MAX_STATE_BYTES)).toString("utf8");
    return text === "" ? undefined : text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new StartError(`the state file cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** Fails with what the system says, which names the file. */
export async function writeStateFile(file: string, text: string): Promise<void> {
  // Whatever stands there from another time is not written into: it may be a pipe.
  await rm(`${file}.tmp`, { force: true });
  const handle = await open(`${file}.tmp`, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.tmp`, file);
}
