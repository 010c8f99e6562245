// The unified format: groups of changes with three lines around them.

import { describe, expect, it } from "vitest";
import { unifiedDiff } from "./unified-diff.ts";

const lines = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}`);
const text = (...parts: (string | string[])[]) => parts.flat().join("\n");

describe("unifiedDiff", () => {
  it("is empty for equal texts", () => {
    expect(unifiedDiff(text(lines(1, 9)), text(lines(1, 9)))).toBe("");
  });

  it("shows a changed line with three lines on either side", () => {
    expect(unifiedDiff(text(lines(1, 9)), text(lines(1, 4), "new", lines(6, 9)))).toBe(
      "@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+new\n line 6\n line 7\n line 8\n",
    );
  });

  it("puts changes that lie apart into groups of their own", () => {
    const diff = unifiedDiff(text(lines(1, 30)), text("x", lines(2, 29), "y"));
    expect(diff.match(/^@@.*@@$/gm)).toEqual(["@@ -1,4 +1,4 @@", "@@ -27,4 +27,4 @@"]);
  });

  it("counts lines that only came or went", () => {
    expect(unifiedDiff("a", text("a", "b"))).toBe("@@ -1 +1,2 @@\n a\n+b\n");
    expect(unifiedDiff(text("a", "b"), "b")).toBe("@@ -1,2 +1 @@\n-a\n b\n");
  });

  it("gives up matching long texts before it takes long, and shows them as replaced", () => {
    const many = (word: string) => text(Array.from({ length: 20_000 }, (_, index) => `${word} ${index % 7}`));
    expect(unifiedDiff(many("a"), many("b")).length).toBeGreaterThan(100_000);
  });
});
