// Small files that outlive the agent: read whole, and never seen half written.

import { open, readFile, rename } from "node:fs/promises";

/** Undefined when there is none; an empty one is none, for a machine that lost power may leave that. */
export async function readStateFile(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, "utf8");
    return text === "" ? undefined : text;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export async function writeStateFile(file: string, text: string): Promise<void> {
  const handle = await open(`${file}.tmp`, "w", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(`${file}.tmp`, file);
}
