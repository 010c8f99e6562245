import { describe, expect, it } from "vitest";
import { compareSemanticVersions, parseSemanticVersion } from "./semantic-version.ts";

describe("semantic versions", () => {
  it("stand in the order of the specification", () => {
    const ordered = "0.0.0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0 1.2.0 1.10.0";
    const versions = ordered.split(" ").map((text) => parseSemanticVersion(text)!);
    for (const [i, a] of versions.entries()) {
      for (const [j, b] of versions.entries()) expect(Math.sign(compareSemanticVersions(a, b))).toBe(Math.sign(i - j));
    }
  });

  it("do not differ by their builds", () => {
    expect(compareSemanticVersions(parseSemanticVersion("1.0.0+a")!, parseSemanticVersion("1.0.0+b")!)).toBe(0);
  });

  it.each(["", "1", "1.2", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3.4"])("are not %j", (text) => {
    expect(parseSemanticVersion(text)).toBeUndefined();
  });

  it("have numbers of 64 bits", () => {
    expect(parseSemanticVersion(`${2n ** 64n - 1n}.0.0`)).toBeDefined();
    for (const number of [2n ** 64n, 10n ** 21n]) {
      expect(parseSemanticVersion(`0.${number}.0`)).toBeUndefined();
    }
    expect(parseSemanticVersion(`0.0.0-${10n ** 21n}`)).toBeUndefined();
  });
});
