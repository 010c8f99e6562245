// Long texts in the full parser: read piece by piece, as the whole would be.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { MAX_NUMBER_CHARACTERS } from "./number.ts";
import { parseJsonInSteps } from "./parse.ts";
import { decodeUtf8 } from "./utf8.ts";

const DEPTH = 10;
const LONG = 200_000;

const parsed = (bytes: Uint8Array) => counted(parseJsonInSteps(bytes, DEPTH));

describe("a long text is read in steps", () => {
  it.each([
    ["of a value", (text: string) => `{"a":${text}}`],
    ["of a key", (text: string) => `{${text}:1}`],
    ["that is no part of anything", (text: string) => text],
  ])("%s", (_what, documentOf) => {
    for (const part of ["a", "é", "😀", "a\n", "\u0001", '"']) {
      const document = documentOf(JSON.stringify(part.repeat(LONG)));
      const { result, steps } = parsed(Buffer.from(document));
      expect(result.value).toEqual(JSON.parse(document));
      expect(steps).toBeGreaterThan(LONG / 20_000);
    }
  });

  it("of bytes that are no characters", () => {
    const { result, steps } = parsed(Buffer.concat([Buffer.from('["'), Buffer.alloc(LONG, 0xbf), Buffer.from('"]')]));
    expect(result.value).toEqual(["\ufffd".repeat(LONG)]);
    expect(steps).toBeGreaterThan(LONG / 20_000);
  });

  it("that has no end", () => {
    expect(() => parsed(Buffer.from(`{"${"a".repeat(LONG)}`))).toThrow("unexpected end of JSON input");
    expect(() => parsed(Buffer.from(`["${"a".repeat(LONG)}\n"]`))).toThrow("invalid character '\\n' in string literal");
  });
});

it("a long text is the same wherever its pieces end, whatever bytes it has", () => {
  const piece = 16 * 1024;
  const signs = fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0xff);
  fc.assert(
    fc.property(fc.array(signs, { minLength: 1, maxLength: 24 }), fc.nat(12), (around, before) => {
      const text = Buffer.concat([Buffer.alloc(piece - before, 0x61), Buffer.from(around), Buffer.alloc(20, 0x62)]);
      const { result } = parsed(Buffer.concat([Buffer.from('"'), text, Buffer.from('"')]));
      expect(result.value === decodeUtf8(text)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

it("reads no further in a number than the most that one may have", () => {
  const digits = "1".repeat(MAX_NUMBER_CHARACTERS);
  for (const number of [`1${digits}`, `-${digits}`, `0.${digits}`, `1e${digits}`])
    expect(() => parsed(Buffer.from(`[${number}?`))).toThrow("a number of more than 4096 characters");
});
