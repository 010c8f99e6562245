// A writer for tests with kills: it writes keys that are its own and tells what was acknowledged.

import type { Revision, StorageEngine } from "../../src/storage/engine.ts";
import { isStorageError } from "../../src/storage/storage-error.ts";

export interface Acknowledged {
  readonly type: "put" | "delete";
  readonly key: string;
  readonly revision: Revision;
  /** Empty for a delete. */
  readonly value: string;
}

export interface Writer {
  /** The key, or keys below it, belong to this writer alone. */
  readonly prefix: string;
  readonly acknowledge: (acknowledged: Acknowledged) => void;
  readonly stopped: () => boolean;
}

/**
 * Creates, updates and deletes keys of its own until stopped. A refusal is an error unless an earlier write of unknown
 * outcome explains it: nobody else touches these keys.
 */
export async function writeUntilStopped(engine: StorageEngine, writer: Writer): Promise<void> {
  for (let number = 0; !writer.stopped(); number++) {
    const key = `${writer.prefix}/${number}`;
    let held: Revision | undefined;
    for (let step = 0; step < 5 && !writer.stopped(); step++) {
      const value = `${key}#${step}`;
      const type = step === 4 && number % 2 === 0 ? "delete" : "put";
      try {
        held = await write(engine, type, key, value, held);
        writer.acknowledge({ type, key, revision: held, value: type === "put" ? value : "" });
      } catch (error) {
        if (!isStorageError(error, "Unavailable", "Undecided")) throw error;
        // The outcome is unknown and may even come later, so the key is left alone from here on.
        break;
      }
    }
  }
}

async function write(
  engine: StorageEngine,
  type: "put" | "delete",
  key: string,
  value: string,
  held: Revision | undefined,
): Promise<Revision> {
  if (held === undefined) return await engine.create(key, Buffer.from(value));
  if (type === "delete") return await engine.delete(key, held);
  return await engine.update(key, Buffer.from(value), held);
}
