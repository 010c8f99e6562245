import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeUtf8 } from "./utf8.ts";

describe("UTF-8", () => {
  const rows: [string, string][] = [
    ["6162", "ab"],
    ["c3a9", "é"],
    ["ff", "\ufffd"],
    ["c3", "\ufffd"],
    ["e282", "\ufffd\ufffd"],
    ["e28261", "\ufffd\ufffda"],
    ["c080", "\ufffd\ufffd"],
    ["eda080", "\ufffd\ufffd\ufffd"],
    ["f09f9880", "\u{1f600}"],
    ["f09f98", "\ufffd\ufffd\ufffd"],
    ["f4908080", "\ufffd\ufffd\ufffd\ufffd"],
    ["ff6162c3a9", "\ufffdabé"],
  ];
  it.each(rows)("%s is %j: one mark for every byte that is wrong", (hex, text) => {
    expect(decodeUtf8(Buffer.from(hex, "hex"))).toBe(text);
  });

  it("is kept where it is right, whatever stands around it", () => {
    const property = fc.property(fc.string({ unit: "binary" }), (text) => {
      const valid = Buffer.from(text).toString("utf8");
      expect(decodeUtf8(Buffer.concat([Buffer.of(0xff), Buffer.from(valid), Buffer.of(0xc3)]))).toBe(
        `\ufffd${valid}\ufffd`,
      );
    });
    fc.assert(property);
  });
});
