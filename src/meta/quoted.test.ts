import { describe, expect, it } from "vitest";
import { cutJoined, cutPath, cutText, quoteText, quoteValue } from "./quoted.ts";

const long = "x".repeat(2_000_000);

describe("what errors show of what was sent", () => {
  const rows: [string, unknown, string][] = [
    ["a text", 'a"b', '"a\\"b"'],
    ["nothing", undefined, "null"],
    ["a number", 1.5, "1.5"],
    ["a large integer", 2n ** 63n, "9223372036854775808"],
    ["a list", [1, "<a>", null, 2n], '[1,"\\u003ca\\u003e",null,2]'],
    ["an object", { a: { b: true }, gone: undefined }, '{"a":{"b":true}}'],
    ["a text of a thousand characters", "y".repeat(1000), `"${"y".repeat(1000)}"`],
  ];
  it.each(rows)("is %s as upstream prints it", (_name, value, text) => {
    expect(quoteValue(value)).toBe(text);
  });

  const hostile: [string, unknown][] = [
    ["a long text", long],
    ["a long list", new Array(500_000).fill("x")],
    ["many keys", Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]))],
    ["a long key", { [long]: 1 }],
    ["long texts in a list", [long, long]],
    ["control characters", "\u0001".repeat(100_000)],
  ];
  it.each(hostile)("is the beginning of %s", (_name, value) => {
    const shown = quoteValue(value);
    expect(shown.length).toBeLessThan(256 * 6 + 10);
    expect(shown).toMatch(/\.\.\."?$/);
  });

  it("is never half of a character", () => {
    expect(cutText(`${"x".repeat(255)}${"\u{1f600}".repeat(1000)}`)).toBe(`${"x".repeat(255)}...`);
  });

  it("is the beginning of paths", () => {
    expect(cutPath(["spec", "list", 0, "a.b"])).toBe("spec.list[0].a.b");
    expect(cutPath(["name"], "metadata")).toBe("metadata.name");
    expect(cutPath(["spec", long, 0])).toBe(`spec.${"x".repeat(251)}...`);
  });

  it("is the beginning of several texts, of which no more are read", () => {
    function* texts(): Generator<string> {
      for (const text of ["a", "b", long]) yield text;
      throw new Error("not to be read");
    }
    expect(cutJoined(texts())).toBe(`ab${"x".repeat(254)}...`);
    expect(cutJoined(["a", "b"])).toBe("ab");
  });

  it("is the beginning of names", () => {
    expect(quoteText(long)).toHaveLength(261);
  });
});
