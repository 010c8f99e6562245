import { describe, expect, it } from "vitest";
import { retryDelayMs } from "./retry.ts";

const NOW_MS = Date.parse("2030-01-01T00:00:00Z");
const LIMITS = { maxAttempts: 10, maxRetryAfterMs: 30_000 };

describe("the time that a server asks for", () => {
  it.each([
    ["2", 2_000],
    ["0", 0],
    ["31", undefined],
    ["-1", undefined],
    ["1.5", undefined],
    ["soon", undefined],
    [undefined, undefined],
    ["Tue, 01 Jan 2030 00:00:05 GMT", 5_000],
    ["Mon, 31 Dec 2029 23:59:00 GMT", 0],
    ["Tue, 01 Jan 2030 01:00:00 GMT", undefined],
    ["Tue, 99 Abc 2030 00:00:05 GMT", undefined],
    ["2030-01-01T00:00:05Z", undefined],
  ])("as %s is %s ms", (retryAfter, delayMs) => {
    const answered = { status: 429, retryAfter, idempotent: false, attempts: 1, nowMs: NOW_MS };
    expect(retryDelayMs(answered, LIMITS)).toBe(delayMs);
  });
});
