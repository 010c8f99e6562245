// Warnings as header lines.

import assert from "node:assert/strict";
import { describe, it } from "vitest";
import { warningHeaders } from "./warning-headers.ts";

describe("warning headers", () => {
  it("come once each, in their order, quoted", () => {
    assert.deepEqual(warningHeaders(["b", 'say "a\\b"', "b"]), ['299 - "b"', '299 - "say \\"a\\\\b\\""']);
  });

  it("say something: an empty warning, as a webhook may return it, is none", () => {
    assert.deepEqual(warningHeaders(["", "a", ""]), ['299 - "a"']);
  });

  it("are cut when they are too long together, and end before they are too many", () => {
    const long = warningHeaders(Array.from({ length: 40 }, (_, i) => `${i} ${"x".repeat(1_000)}`));
    assert.equal(long.length, 16);
    for (const line of long) assert.equal(line.length, 256 + '299 - ""'.length);
    assert.equal(warningHeaders(Array.from({ length: 10_000 }, (_, i) => `warning ${i}`)).length < 500, true);
  });

  it("are made of no more warnings than are shown", () => {
    const many = Array.from({ length: 5_000 }, (_, i) => `warning ${i}`);
    Object.defineProperty(many, 1_000, { get: () => assert.fail("nobody is shown this one") });
    assert.equal(warningHeaders(many).length > 100, true);
    const long = ["x".repeat(5_000), "y"];
    assert.deepEqual(warningHeaders(long), [`299 - "${"x".repeat(256)}"`, '299 - "y"']);
  });

  it("hold no control characters, and other characters as they are", () => {
    assert.deepEqual(warningHeaders(["a\r\nb\u0000c"]), ['299 - "a b c"']);
    assert.deepEqual(warningHeaders(["é"]), ['299 - "é"']);
  });
});
