// Texts in base64, good and bad.

import { describe, expect, it } from "vitest";
import { badBase64At, isBase64, withoutLineEnds } from "./base64.ts";

describe("a text in base64", () => {
  it.each(["", "AAAA", "AAA=", "AA==", "ab+/AAAA", "abcdAA=="])("may be %j", (text) => {
    expect(isBase64(text)).toBe(true);
  });

  it.each<[text: string, at: number]>([
    ["A", 0],
    ["AAAAA", 4],
    ["AAA", 0],
    ["=", 0],
    ["A===", 1],
    ["AA=A", 2],
    ["AA=", 3],
    ["====", 0],
    ["AAAA====", 4],
    ["AA==AAAA", 4],
    ["AAA=A", 4],
    ["a-bc", 1],
    ["abé=", 2],
    ["A\nA\r=!", 4],
    ["A\nAAA\nA", 6],
  ])("is not %j, wrong at byte %i", (text, at) => {
    expect(isBase64(text)).toBe(false);
    expect(badBase64At(text)).toBe(at);
  });

  it.each([
    ["AAAA", "AAAA"],
    ["A\nA\r\nAé\u{1f600}\n", "AAAé\u{1f600}"],
    ["\n", ""],
  ])("has nothing left of the ends of lines in %j", (text, rest) => {
    expect(withoutLineEnds(text)).toBe(rest);
  });
});
