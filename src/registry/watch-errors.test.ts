// How a watch ends. Requirements: document 1, "Watch".

import { describe, expect, it } from "vitest";
import { forbidden } from "../meta/status-error.ts";
import { StorageError } from "../storage/storage-error.ts";
import { toWatchError } from "./watch-errors.ts";

describe("the end of a watch", () => {
  it.each<[what: string, error: unknown, code: number, reason: string, message: string]>([
    [
      "a revision that is gone",
      new StorageError("RevisionGone", "5 (9)", { revision: 9 }),
      410,
      "Expired",
      "too old resource version: 5 (9)",
    ],
    [
      "one that nobody knows any more",
      new StorageError("RevisionGone", "gone"),
      410,
      "Expired",
      "The resourceVersion for the provided watch is too old.",
    ],
    [
      "one that is to come",
      new StorageError("RevisionInFuture", "7", { revision: 3 }),
      504,
      "Timeout",
      "Timeout: Too large resource version: 7, current: 3",
    ],
    [
      "another failure of the store, which is nobody's business",
      new StorageError("Corrupt", "/secret/path"),
      500,
      "InternalError",
      "the watch has ended because of an internal error",
    ],
    [
      "a mistake of ours",
      new TypeError("x is undefined"),
      500,
      "InternalError",
      "the watch has ended because of an internal error",
    ],
  ])("says of %s what a client can do", (_what, error, code, reason, message) => {
    const { code: found, reason: why, message: text } = toWatchError(error);
    expect([found, why, text]).toEqual([code, reason, message]);
  });

  it("passes on what is an answer already", () => {
    const refused = forbidden({ group: "", resource: "pods" }, "a", "no");
    expect(toWatchError(refused)).toBe(refused);
  });
});
