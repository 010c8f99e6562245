// The LMDB environment: its tables and the one way to commit to them. The only importer of the lmdb package.
//
// The rows after create x=v1, update x=v2, create y=w1, delete x, on a new store (which starts at revision 1):
//
//   current   y            -> 4 w1          the value of each living key, with the revision that wrote it
//   history   x 0000 3     -> 2 v1          what a key held before: (key, revision that replaced it) -> its row, as it was
//             x 0000 5     -> 3 v2
//   log       2 -> put x   3 -> put x   4 -> put y   5 -> delete x
//   meta      revision -> 5   compacted -> 1   owner -> who has the store open
//   expiry    (time, revision) -> key       only for writes with a ttl
//
// x at revision 4: not in `current`; the first row of x in `history` after 4 is (x, 5), written at 3: v2.
// Change 3 replayed: log says put x; its value is the history row after (x, 3), its previous value the row (x, 3).
// compact(3) removes the log rows up to 3 and, for each, the history row with the same key and revision: (x, 3).

import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { type Database, open, type RootDatabase } from "lmdb";
import type { Revision } from "../engine.ts";
import { decodeRevision, encodeRevision } from "./rows.ts";

/** Longer keys are refused: LMDB keeps a key on one page, and history adds up to ten bytes and escapes. */
export const MAX_KEY_BYTES = 1_900;

// Address space, not disk: the file grows with its content.
const DEFAULT_MAP_SIZE_BYTES = 256 * 1024 ** 3;
const MAX_READERS = 512;

type BytesTable = Database<Buffer, Uint8Array>;

export interface Tables {
  readonly current: Database<Buffer, string | Uint8Array>;
  readonly history: BytesTable;
  readonly log: BytesTable;
  readonly expiry: BytesTable;
  readonly meta: Database<Buffer, string>;
  /**
   * Commits all writes that `write` makes, or none; durable when it resolves. The work is done by another thread.
   * Rejects with what LMDB reports, with its number as `code`.
   */
  commit(write: () => void): Promise<void>;
  /** What the file system has left; infinite where it does not say. */
  roomBytes(): number;
  /** Runs in a write transaction, exclusive among all processes. For the rare decisions at open and close. */
  exclusively<T>(decide: () => T): T;
  /** Makes later reads see the newest commit. */
  refresh(): void;
  /** A compact, consistent copy of everything, while others write. */
  copyTo(path: string): Promise<void>;
  close(): Promise<void>;
}

export interface TablesOptions {
  readonly mapSizeBytes?: number;
  readonly readOnly?: boolean;
}

/** Opens the file with all tables. Throws what LMDB reports. */
export function openTables(path: string, options: TablesOptions = {}): Tables {
  const root: RootDatabase<Buffer, string> = open({
    path,
    noSubdir: true,
    encoding: "binary",
    maxDbs: 8,
    maxReaders: MAX_READERS,
    mapSize: options.mapSizeBytes ?? DEFAULT_MAP_SIZE_BYTES,
    // A commit must be on disk before its promise resolves.
    overlappingSync: false,
    // The engine groups writes itself. LMDB's own grouping would also leave a rejected promise to nobody on failure.
    eventTurnBatching: false,
    readOnly: options.readOnly ?? false,
  });
  const bytesTable = (name: string): BytesTable =>
    required(root.openDB(name, { encoding: "binary", ...bytesKeys }), name);
  const tables = {
    current: required(
      root.openDB<Buffer, string | Uint8Array>("current", { cache: false, ...textKeys, ...sharedRows() }),
      "current",
    ),
    history: bytesTable("history"),
    log: bytesTable("log"),
    expiry: bytesTable("expiry"),
    meta: required(root.openDB<Buffer, string>("meta", { encoding: "binary", ...textKeys }), "meta"),
  };
  root.readerCheck();
  return {
    ...tables,
    commit: (write) => commit(root, write),
    roomBytes: () => roomBytes(dirname(path)),
    exclusively: (decide) => root.transactionSync(decide),
    refresh: () => root.resetReadTxn(),
    copyTo: (target) => root.backup(target, true),
    close: () => root.close(),
  };
}

export function readMetaRevision(tables: Tables, name: "revision" | "compacted"): Revision | undefined {
  const row = tables.meta.getBinary(name);
  return row === undefined ? undefined : decodeRevision(row);
}

export function putMetaRevision(tables: Tables, name: "revision" | "compacted", revision: Revision): void {
  tables.meta.put(name, encodeRevision(revision));
}

async function commit(root: RootDatabase<Buffer, string>, write: () => void): Promise<void> {
  try {
    await root.batch(write);
  } catch (error) {
    // The batch fails with a general error; the reason arrives through a promise of its own.
    if (error instanceof Error && "commitError" in error) await error.commitError;
    throw error;
  }
}

function roomBytes(dir: string): number {
  try {
    const { blocks, bfree, bavail, bsize } = statfsSync(dir);
    // The last few percent are for root alone.
    const free = process.getuid?.() === 0 ? bfree : bavail;
    return blocks === 0 ? Number.POSITIVE_INFINITY : free * bsize;
  } catch {
    // Where the folder was moved away, the open file goes on.
    return Number.POSITIVE_INFINITY;
  }
}

function required<T>(table: T | undefined, name: string): T {
  if (table === undefined) throw new Error(`the table "${name}" is missing`);
  return table;
}

interface KeyTarget extends Buffer {}

const SLAB_BYTES = 128 * 1024;
const MAX_SHARED_ROW_BYTES = 16 * 1024;

/**
 * Rows read by ranges are copied into slabs of memory: thousands of buffers with memory of their own cost more than the
 * read itself. A slab holds only rows that were read one after the other, so it lives about as long as they do. Single
 * rows, read with getBinary, get their own memory.
 */
function sharedRows() {
  let slab = Buffer.alloc(0);
  let used = 0;
  return {
    encoder: {
      encode: (row: Buffer): Buffer => row,
      decode(source: Buffer): Buffer {
        // LMDB's own buffer, valid until the next read; it says the length of the row by an overridden property.
        const { length } = source;
        const row = source.subarray(0, length);
        if (length > MAX_SHARED_ROW_BYTES) return Buffer.from(row);
        if (used + length > slab.length) {
          slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
          used = 0;
        }
        slab.set(row, used);
        used += length;
        return slab.subarray(used - length, used);
      },
    },
  };
}

/** Keys as strings in UTF-8; byte strings are taken as they are, for ends of ranges. */
const textKeys = {
  keyEncoder: {
    writeKey: writeTextKey,
    readKey: (source: KeyTarget, start: number, end: number): string => source.toString("utf8", start, end),
  },
};

const bytesKeys = {
  keyEncoder: {
    writeKey: writeBytesKey,
    // A copy: the source is overwritten by the next read.
    readKey: (source: KeyTarget, start: number, end: number): Buffer => Buffer.from(source.subarray(start, end)),
  },
};

function writeTextKey(key: string | Uint8Array, target: KeyTarget, start: number): number {
  if (typeof key !== "string") return writeBytesKey(key, target, start);
  const room = target.length - start;
  // Buffer.write would cut a key that does not fit; the caller knows to take a larger buffer on RangeError.
  if (key.length * 3 > room && Buffer.byteLength(key) > room) throw new RangeError("no room for the key");
  return start + target.write(key, start, "utf8");
}

function writeBytesKey(key: Uint8Array, target: KeyTarget, start: number): number {
  target.set(key, start);
  return start + key.length;
}
