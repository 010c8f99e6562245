import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareBytes, OrderedKeys } from "./ordered-keys.ts";

const texts = fc.string({
  unit: fc.constantFrom("a", "b", "/", "\u00e9", "\ud7ff", "\ue000", "\uffff", "\u{1f600}"),
  maxLength: 5,
});
const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe("ordered keys", () => {
  it("compare as their UTF-8 bytes do", () => {
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(byBytes(a, b));
      }),
    );
  });

  it("give the range below a prefix as a sorted filter would", () => {
    fc.assert(
      fc.property(fc.uniqueArray(texts), texts, fc.option(texts, { nil: undefined }), (added, prefix, after) => {
        const keys = new OrderedKeys();
        for (const key of added) keys.add(key);
        for (const key of added.slice(0, 2)) keys.remove(key);
        const expected = added
          .slice(2)
          .filter((key) => key.startsWith(prefix) && (after === undefined || byBytes(key, after) > 0))
          .sort(byBytes);
        expect([...keys.below(prefix, after)]).toEqual(expected);
      }),
    );
  });
});
