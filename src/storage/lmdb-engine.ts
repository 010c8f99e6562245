// The embedded storage engine, the default: LMDB in a data directory of one process. Public face of lmdb/.

import { statSync } from "node:fs";
import { chmod } from "node:fs/promises";
import type { Duplex } from "node:stream";
import { type Clock, systemClock } from "../base/clock.ts";
import type { StorageEngine } from "./engine.ts";
import { dataFile, type Marker, prepareDirectory, writeMarker } from "./lmdb/data-directory.ts";
import { LmdbEngine } from "./lmdb/engine.ts";
import { FollowerEngine } from "./lmdb/follower-engine.ts";
import { translateLmdbError } from "./lmdb/lmdb-errors.ts";
import { takeOwnership } from "./lmdb/owner-lock.ts";
import { openTables, putMetaRevision, readMetaRevision, type Tables, type TablesOptions } from "./lmdb/tables.ts";
import { StorageError } from "./storage-error.ts";

export { requireOwnOrNone } from "./lmdb/data-directory.ts";
export { LmdbEngine } from "./lmdb/engine.ts";
export { serveFollower } from "./lmdb/serve-follower.ts";

const DEFAULT_SWEEP_INTERVAL_MS = 1_000;
const FIRST_REVISION = 1;

interface LmdbEngineOptions {
  /** The data directory. Made when it does not exist; refused when it holds something else. */
  readonly dir: string;
  /** The dialect: recorded when the store is created; another one is refused later. */
  readonly identity: string;
  readonly clock?: Clock;
  /** Address space to reserve at first; it grows when the store outgrows it. Default 256 GiB, which takes no memory. */
  readonly mapSizeBytes?: number;
  /** How often expired keys are looked for. */
  readonly sweepIntervalMs?: number;
}

/** How long the file of the store in this directory is. */
export function storeFileBytes(dir: string): number {
  return statSync(dataFile(dir)).size;
}

/**
 * Opens or creates the store. Fails with Unavailable when another process has it open or it was created with another
 * identity, and with Corrupt when the directory is foreign or damaged; it is not touched then.
 */
export async function openLmdbEngine(options: LmdbEngineOptions): Promise<LmdbEngine> {
  const { dir, identity } = options;
  const marker = await prepareDirectory(dir, identity);
  const tables = openOrExplain(dir, options);
  try {
    const lock = await takeOwnership(dir, tables);
    try {
      await initialize(dir, marker, tables);
      return new LmdbEngine({
        tables,
        lock,
        identity,
        clock: options.clock ?? systemClock,
        sweepIntervalMs: options.sweepIntervalMs ?? DEFAULT_SWEEP_INTERVAL_MS,
      });
    } catch (error) {
      await lock.release();
      throw error;
    }
  } catch (error) {
    await tables.close();
    throw explained(dir, error);
  }
}

/**
 * Joins a store that another process has opened and serves with `serveFollower` at the other end of the stream. The
 * directory must be whole: the owner has seen to that. `onLost` hears when nothing can be followed any more, although the
 * store may go on: this process is of no use to it, and another one would be.
 */
export function followLmdbEngine(dir: string, stream: Duplex, onLost?: (failure: StorageError) => void): StorageEngine {
  return new FollowerEngine({ tables: openOrExplain(dir, { readOnly: true }), stream, onLost });
}

function openOrExplain(dir: string, { mapSizeBytes, readOnly = false }: TablesOptions): Tables {
  try {
    return openTables(dataFile(dir), { readOnly, ...(mapSizeBytes === undefined ? {} : { mapSizeBytes }) });
  } catch (error) {
    throw explained(dir, error);
  }
}

function explained(dir: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const { code, message } = translateLmdbError(error);
  return new StorageError(code, `data directory ${dir}: ${message}`, { cause: error });
}

/** Completes a new store, or checks that an existing one is whole. */
async function initialize(dir: string, marker: Marker, tables: Tables): Promise<void> {
  const revision = readMetaRevision(tables, "revision");
  const compacted = readMetaRevision(tables, "compacted");
  if (marker.state === "ready") {
    if (revision !== undefined && compacted !== undefined && compacted <= revision) return;
    throw new StorageError("Corrupt", `data directory ${dir}: the store has lost its revision`);
  }
  if (revision === undefined) {
    tables.exclusively(() => {
      putMetaRevision(tables, "revision", FIRST_REVISION);
      putMetaRevision(tables, "compacted", FIRST_REVISION);
    });
    tables.refresh();
  }
  // Values may be secrets.
  await chmod(dataFile(dir), 0o600);
  await writeMarker(dir, { ...marker, state: "ready" });
}
