// What a storage engine can fail with: a closed list, translated once at the border (apiserver/registry/storage-errors).

import type { Revision, StoredEntry } from "./stored-entry.ts";

export type StorageErrorCode =
  | "KeyExists"
  | "KeyNotFound"
  | "RevisionMismatch"
  /** The key on which a write depends is not there: nothing was written. */
  | "GuardGone"
  | "RevisionGone"
  | "RevisionInFuture"
  | "TooLarge"
  | "NoSpace"
  | "Unavailable"
  /** Of a write: whether it was done, or still will be, nobody can tell. */
  | "Undecided"
  | "Corrupt"
  | "Closed";

export interface StorageErrorDetails {
  readonly key?: string;
  /** RevisionMismatch: what the key holds now. */
  readonly current?: StoredEntry;
  /** RevisionGone: the oldest revision that can be read. RevisionInFuture: the newest. */
  readonly revision?: Revision;
  readonly cause?: unknown;
}

export class StorageError extends Error {
  readonly code: StorageErrorCode;
  readonly details: StorageErrorDetails;

  constructor(code: StorageErrorCode, message: string, details: StorageErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "StorageError";
    this.code = code;
    this.details = details;
  }
}

export function isStorageError(error: unknown, ...codes: StorageErrorCode[]): error is StorageError {
  return error instanceof StorageError && (codes.length === 0 || codes.includes(error.code));
}

export function guardGone(key: string, guard: string): StorageError {
  return new StorageError("GuardGone", `${key} was not written: ${guard} is gone`, { key });
}
