import { describe, expect, it, vi } from "vitest";
import { compileLinear } from "./linear-regexp.ts";

function test(pattern: string, text: string): boolean | string | undefined {
  const compiled = compileLinear(pattern);
  return typeof compiled === "string" ? compiled : compiled.test(text);
}

describe("patterns of users", () => {
  it.each([
    ["^a+$", "aaa", true],
    ["^a+$", "aab", false],
    ["b", "abc", true],
    ["^[]a{2}]+$", "a2{}]", true],
    ["^\\pL[[:digit:]]{3}$", "x123", true],
    ["^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$", "a-b", true],
  ])("%s on %s", (pattern, text, expected) => {
    expect(test(pattern, text)).toBe(expected);
  });

  it("say what is wrong with them", () => {
    expect(test("(", "")).toBe("error parsing regexp: missing closing ): `(`");
    expect(test("(?!a)", "")).toContain("error parsing regexp");
  });

  it("run in linear time", () => {
    expect(test("^(a+)+$", `${"a".repeat(50_000)}!`)).toBe(false);
  });

  it("of characters alone judge texts of any length, others do not keep everybody waiting", () => {
    const long = "a".repeat(300_000);
    expect([test("^[a-z]+$", long), test("(?i)^a+$", long), test("a\\b", long)]).toEqual([true, undefined, undefined]);
    expect([test("(?i)^a+$", "AAA"), test("a\\b", "a")]).toEqual([true, true]);
    const compiled = compileLinear("a");
    expect(typeof compiled === "string" ? compiled : compiled.matcher(long)).toBeUndefined();
  });

  it.each(["a{1000}".repeat(100), "(abcdefghij(x{10}){10}){100}".repeat(3), "[ab]{1000}".repeat(50)])(
    "are refused before they grow: %s",
    (pattern) => {
      expect(test(pattern, "")).toBe("error parsing regexp: expression too large");
    },
  );

  it("are not read further once their open groups are too many", () => {
    const exec = vi.spyOn(RegExp.prototype, "exec");
    const refused = test(`${"(".repeat(30_000)}a{2}`, "");
    const repeats = exec.mock.calls.length;
    exec.mockRestore();
    expect([refused, repeats]).toEqual(["error parsing regexp: expression too large", 0]);
  });

  it("compile again after many others", () => {
    for (let i = 0; i < 300; i++) test(`^p${i}a{900}$`, "x");
    expect(test("^p0a{900}$", `p0${"a".repeat(900)}`)).toBe(true);
  });
});
