// What LMDB and the operating system report, as storage errors.

import { StorageError } from "../storage-error.ts";

// Numbers of lmdb.h and errno.h; LMDB passes both through.
const MDB_MAP_FULL = -30792;
const MDB_CORRUPTED = -30796;
const MDB_PAGE_NOTFOUND = -30797;
const MDB_VERSION_MISMATCH = -30794;
const MDB_INVALID = -30793;
const MDB_BAD_TXN = -30782;
const EIO = 5;
const ENOSPC = 28;
const EFBIG = 27;
const EDQUOT = 122;

const NO_SPACE: ReadonlySet<unknown> = new Set([MDB_MAP_FULL, ENOSPC, EFBIG, EDQUOT]);
const CORRUPT: ReadonlySet<unknown> = new Set([MDB_CORRUPTED, MDB_PAGE_NOTFOUND, MDB_VERSION_MISMATCH, MDB_INVALID]);

/** With less, there is no room for even a small commit. */
export const SMALL_COMMIT_BYTES = 256 * 1024;

/**
 * LMDB has given a transaction up, and nothing of it is on disk. A page that came back to its list of free pages while that list, used
 * up by this transaction, was being saved is noted nowhere; LMDB then looks at the size of a record that it has not found, which is
 * whatever stood on the stack, and takes 0 for damage. It has thrown the list away since: the next transaction reads it anew, notes
 * all of it, and cannot fail so.
 */
export const isGivenUp = (error: unknown): boolean => codeOf(error) === MDB_BAD_TXN;

export function translateLmdbError(
  error: unknown,
  roomBytes: () => number = () => Number.POSITIVE_INFINITY,
): StorageError {
  if (error instanceof StorageError) return error;
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : String(error);
  // A write that fits only in part is reported by LMDB as an input/output error.
  if (NO_SPACE.has(code) || (code === EIO && roomBytes() < SMALL_COMMIT_BYTES))
    return new StorageError("NoSpace", `no space to write: ${text}`, { cause: error });
  if (CORRUPT.has(code)) return new StorageError("Corrupt", `the store is damaged: ${text}`, { cause: error });
  return new StorageError("Unavailable", `the store failed: ${text}`, { cause: error });
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
