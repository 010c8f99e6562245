import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { atOnce } from "../../base/steps.ts";
import { jsonText } from "./write.ts";
import { jsonBytesInSteps, jsonTextInSteps } from "./write-in-steps.ts";

const VALUES = {
  "a scalar": 1,
  "a text": "a<b\u2028\n",
  "a long text": '<\u2028\n"é'.repeat(100),
  "a text of long characters": `x${"\u{1f600}".repeat(100)}\ud83d`,
  "halves of characters": "\ud83d".repeat(100),
  "long texts among others": [{ a: "\u{1f600}<".repeat(50), b: "&".repeat(200) }, "x", ">".repeat(300), "y", ["z"]],
  nothing: undefined,
  "an empty object": {},
  short: { a: [1, 2], b: {} },
  "a long list": Array.from({ length: 20 }, (_, index) => ({ index, name: `n${index}` })),
  "a long object": Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`<k${index}>`, [index, "\n"]])),
  "long within long": { a: [[1, 2, 3, 4, 5, 6, 7, 8, 9], { b: { c: [1, 2, 3, 4, 5, 6, 7, 8, 9, {}, []] } }], d: "x" },
  "long keys": { a: 1, [`"<\u{1f600}`.repeat(100)]: { [">".repeat(300)]: [1, 2, 3, 4, 5, 6, 7, 8, 9] }, b: 2 },
  "absent members": { a: undefined, b: [undefined, 1, 2, 3, 4, 5, 6, 7, 8, 9], c: undefined },
  "only absent members": Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, undefined])),
  "large integers": [1, 2n ** 60n, { a: 2n ** 61n, b: [1, 2, 3, 4, 5, 6, 7, 8, 2n ** 62n] }],
  "keys of the prototype": JSON.parse('{"__proto__":[1,2,3,4,5,6,7,8,9],"toString":{"a":[1,2,3,4,5,6,7]}}') as unknown,
};

describe("JSON text in steps", () => {
  for (const [name, value] of Object.entries(VALUES)) {
    for (const indent of ["", "  "]) {
      it(`is the text as it is written at once: ${name}, indented by "${indent}"`, () => {
        const whole = jsonText(value, indent);
        for (const perStep of [1, 2, 3, 7, 1_000]) {
          expect(Buffer.from(atOnce(jsonBytesInSteps(value, { indent, valuesPerStep: perStep }))).toString()).toBe(
            whole,
          );
        }
      });
    }
  }

  it("comes as one text where its bytes can wait", () => {
    const value = { "<k>": Array.from({ length: 5_000 }, (_, index) => `\u00fc${index}`) };
    const { result, steps } = counted(jsonTextInSteps(value));
    expect(result).toBe(jsonText(value));
    expect(steps).toBeGreaterThan(5);
  });

  it("lets others have their turn within a long list, a long object and a long text", () => {
    const turns = (value: unknown) => [...jsonBytesInSteps(value, { valuesPerStep: 5 })].length;
    expect(turns(VALUES["a long list"])).toBeGreaterThan(5);
    expect(turns(VALUES["a long object"])).toBeGreaterThan(5);
    expect(turns({ deep: [{ list: VALUES["a long list"] }] })).toBeGreaterThan(5);
    expect(turns({ deep: ["<".repeat(2_000)] })).toBeGreaterThan(5);
    expect(turns({ deep: [{ ["<".repeat(2_000)]: 1 }] })).toBeGreaterThan(5);
    expect(turns(VALUES.short)).toBe(0);
  });

  it("lets others have their turn while its bytes are put together", () => {
    const steps = (length: number) => counted(jsonBytesInSteps("a".repeat(length), { valuesPerStep: 1e6 })).steps;
    expect(steps(500_000)).toBe(0);
    expect(steps(3_000_000)).toBeGreaterThan(0);
  });
});
