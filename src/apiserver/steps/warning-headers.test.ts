// Warnings as header lines.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { warningHeaders } from "./warning-headers.ts";

describe("warning headers", () => {
  it("come once each, in their order, quoted", () => {
    assert.deepEqual(warningHeaders(["b", 'say "a\\b"', "b"]), ['299 - "b"', '299 - "say \\"a\\\\b\\""']);
  });

  it("are cut when they are too long together, and end before they are too many", () => {
    const long = warningHeaders(Array.from({ length: 40 }, (_, i) => `${i} ${"x".repeat(1_000)}`));
    assert.equal(long.length, 16);
    for (const line of long) assert.equal(line.length, 256 + '299 - ""'.length);
    assert.equal(warningHeaders(Array.from({ length: 10_000 }, (_, i) => `warning ${i}`)).length < 500, true);
  });

  it("hold no control characters, and other characters as they are", () => {
    assert.deepEqual(warningHeaders(["a\r\nb\u0000c"]), ['299 - "a b c"']);
    assert.deepEqual(warningHeaders(["é"]), ['299 - "é"']);
  });
});
