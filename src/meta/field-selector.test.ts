import { describe, expect, it } from "vitest";
import { parseFieldSelector } from "./field-selector.ts";
import { MAX_TERMS } from "./label-selector.ts";

describe("a field selector", () => {
  const fields = { "metadata.name": "a", "spec.x": "b,c" };
  const rows: [string, boolean][] = [
    ["", true],
    ["metadata.name=a", true],
    ["metadata.name==b", false],
    ["metadata.name!=b,metadata.name!=c", true],
    ["metadata.name=a,metadata.name=b", false],
    ["metadata.name=a,metadata.name!=a", false],
    ["spec.x=b\\,c", true],
    ["spec.y=", true],
    ["spec.y!=", false],
    ["constructor=", true],
  ];
  it.each(rows)("%j matches: %s", (text, matches) => {
    expect(parseFieldSelector(text).matches(fields)).toBe(matches);
  });

  it("knows the one value that it demands of a field", () => {
    const selector = parseFieldSelector("metadata.name=a,spec.x!=b");
    expect(selector.exact("metadata.name")).toBe("a");
    expect(selector.exact("spec.x")).toBeUndefined();
  });

  const bad: [string, string][] = [
    ["a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"],
    ["d,c", "invalid selector: 'd,c'; can't understand 'c'"],
    ["a=b\\c", "invalid field selector: invalid escape sequence: \\c"],
    ["a=b=c", "invalid field selector: unescaped character in value: 61"],
  ];
  it.each(bad)("refuses %j in upstream's words", (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(new Error(message));
  });

  it("has no more terms than can be read at once", () => {
    expect(parseFieldSelector("a=b,".repeat(MAX_TERMS)).requirements).toHaveLength(MAX_TERMS);
    expect(() => parseFieldSelector("a=b,".repeat(MAX_TERMS + 1))).toThrow("at most 4096 terms");
  });
});
