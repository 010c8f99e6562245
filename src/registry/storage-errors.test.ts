// Errors of the store as clients see them: for requests, and in the last event of a watch.

import { describe, expect, it } from "vitest";
import { StatusError } from "../meta/status-error.ts";
import { StorageError } from "../storage/storage-error.ts";
import { toStatusError } from "./storage-errors.ts";
import { toWatchError } from "./watch-errors.ts";

const subject = { group: "", resource: "configmaps", kind: "ConfigMap" };

describe("toStatusError", () => {
  it.each([
    ["KeyExists", 409, "AlreadyExists", 'configmaps "x" already exists'],
    ["KeyNotFound", 404, "NotFound", 'configmaps "x" not found'],
    ["RevisionMismatch", 409, "Conflict", "the object has been modified"],
    ["RevisionGone", 410, "Expired", "too old"],
    ["RevisionInFuture", 504, "Timeout", "Timeout: why"],
    ["TooLarge", 413, "RequestEntityTooLarge", "Request entity too large: why"],
    ["NoSpace", 500, "InternalError", "the store has no space left: why"],
    ["Corrupt", 500, "InternalError", "why"],
    ["Undecided", 504, "Timeout", "Timeout: why"],
    ["Unavailable", 503, "ServiceUnavailable", "the store is unavailable: why"],
    ["Closed", 503, "ServiceUnavailable", "the store is unavailable: why"],
    ["GuardGone", 503, "ServiceUnavailable", "what was reserved is lost: why"],
  ] as const)("makes of %s a %i %s", (code, status, reason, words) => {
    const made = toStatusError(new StorageError(code, "why"), subject as never, "x") as StatusError;
    expect([made.code, made.reason]).toEqual([status, reason]);
    expect(made.message).toContain(words);
  });

  it("asks nobody to come back with a write that may have been done", () => {
    const retryAfter = (code: "Undecided" | "Unavailable") =>
      (toStatusError(new StorageError(code, "why"), subject as never, "x") as StatusError).details?.retryAfterSeconds;
    expect([retryAfter("Undecided"), retryAfter("Unavailable")]).toEqual([undefined, 1]);
  });

  it("leaves other errors alone", () => {
    const bug = new TypeError("bug");
    expect(toStatusError(bug, subject as never, "x")).toBe(bug);
  });
});

describe("toWatchError", () => {
  it("says when to list again, and tells nothing of what is our own fault", () => {
    expect(toWatchError(new StorageError("RevisionGone", "5 (7)", { revision: 7 }))).toMatchObject({
      code: 410,
      reason: "Expired",
      message: "too old resource version: 5 (7)",
    });
    expect(toWatchError(new StorageError("RevisionGone", ""))).toMatchObject({ code: 410 });
    expect(toWatchError(new StorageError("RevisionInFuture", "9", { revision: 7 }))).toMatchObject({ code: 504 });
    expect(toWatchError(new Error("secret"))).toMatchObject({ code: 500 });
    expect(toWatchError(new Error("secret")).message).not.toContain("secret");
    const status = new StatusError(403, "Forbidden", "no");
    expect(toWatchError(status)).toBe(status);
  });
});
