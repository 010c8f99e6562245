// Why a watch cannot go on, as the Status in its last event.

import { expired, StatusError } from "../meta/status-error.ts";
import { StorageError } from "../storage/storage-error.ts";
import { tooLargeResourceVersion } from "./wait-for-revision.ts";

export function toWatchError(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof StorageError) {
    if (error.code === "RevisionGone") {
      const { revision } = error.details;
      return expired(
        revision === undefined
          ? "The resourceVersion for the provided watch is too old."
          : `too old resource version: ${error.message}`,
      );
    }
    if (error.code === "RevisionInFuture") return tooLargeResourceVersion(error.message, error.details.revision ?? 0);
  }
  return new StatusError(500, "InternalError", "the watch has ended because of an internal error");
}
