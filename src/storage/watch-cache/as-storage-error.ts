// Whatever an engine throws, in the closed list of storage errors.

import { StorageError } from "../storage-error.ts";

export function asStorageError(error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  return new StorageError("Unavailable", "the storage engine failed", { cause: error });
}
