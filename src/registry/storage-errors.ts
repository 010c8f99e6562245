// The border between the store and the API: every storage error becomes a Status, here and nowhere else.

import { assertNever } from "../base/assert-never.ts";
import {
  alreadyExists,
  conflict,
  expired,
  internalError,
  notFoundObject,
  StatusError,
  type StatusSubject,
} from "../meta/status-error.ts";
import { StorageError } from "../storage/storage-error.ts";
import type { Target } from "./request.ts";

export const MODIFIED = "the object has been modified; please apply your changes to the latest version and try again";

/** The same for a request that did not look what became of a question to the store. */
export function asAnswered(error: unknown, target: Target): unknown {
  if (target.type === "path") return toStatusError(error, { group: "", resource: "" }, "");
  return toStatusError(error, target, target.name);
}

export function toStatusError(error: unknown, subject: StatusSubject, name: string): unknown {
  if (!(error instanceof StorageError)) return error;
  switch (error.code) {
    case "KeyExists":
      return alreadyExists(subject, name);
    case "KeyNotFound":
      return notFoundObject(subject, name);
    case "RevisionMismatch":
      return conflict(subject, name, MODIFIED);
    case "RevisionGone":
      return expired("The resourceVersion for the provided list is too old.");
    case "RevisionInFuture":
      return new StatusError(504, "Timeout", `Timeout: ${error.message}`, { retryAfterSeconds: 1 });
    case "TooLarge":
      return new StatusError(413, "RequestEntityTooLarge", `Request entity too large: ${error.message}`);
    case "NoSpace":
      return internalError(`the store has no space left: ${error.message}`);
    case "Corrupt":
      return internalError(error.message);
    case "Undecided":
      // Without a time to come back: clients then send again by themselves what may have been done already.
      return new StatusError(504, "Timeout", `Timeout: ${error.message}`, {});
    case "GuardGone":
      return new StatusError(503, "ServiceUnavailable", `what was reserved is lost: ${error.message}`, {
        retryAfterSeconds: 1,
      });
    case "Unavailable":
    case "Closed":
      return new StatusError(503, "ServiceUnavailable", `the store is unavailable: ${error.message}`, {
        retryAfterSeconds: 1,
      });
    default:
      return assertNever(error.code);
  }
}
