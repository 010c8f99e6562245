// Whether the store answers.

import type { StorageEngine } from "../storage/engine.ts";

/** Undefined when the store answers. */
export async function storeProblem(engine: StorageEngine): Promise<string | undefined> {
  try {
    await engine.currentRevision();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
