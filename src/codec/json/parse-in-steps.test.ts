// Long JSON in pieces of any size: what JSON.parse says of the whole, and refused where it refuses.

import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { atOnce } from "../../base/steps.ts";
import { FEW_KEYS, isSettled, keysOf } from "../../base/wide-keys.ts";
import { parseInSteps } from "./parse-in-steps.ts";

const inPieces = (text: string, pieceBytes: number) =>
  atOnce(parseInSteps(Buffer.from(text), "utf8", pieceBytes))?.value;

function whole(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const SIZES = [1, 3, 10, 50, 1_000];

describe("JSON in pieces", () => {
  it.each([
    ["nested lists", "[[1,2],[3,[4,5]],[],6]"],
    ["nested objects", '{"a":{"b":{"c":1,"d":[1,2]},"e":2},"f":{},"g":3}'],
    ["repeated keys", '{"a":1,"b":2,"a":{"c":1,"c":2},"b":3}'],
    ["keys that are special", '{"__proto__":{"a":1,"b":2},"constructor":1,"1":2,"0":3,"":4}'],
    ["space everywhere", ' { "a" : [ 1 , 2 , { } ] , "b" : { "c" : 1 , "d" : 2 } } \n'],
    ["texts with signs in them", '["a,b",{"{":"}]","\\"":"\\\\"},"ü😀,","]"]'],
    ["no list or object", ' "a,b" '],
    [
      "long texts",
      '{ "a\\n😀\\u003c_____________" : "\\u003c\\u003cüüüüüüüüü\\\\" , "long long long":[ "long, long, long" , {"x":1},"long\\n\\n\\n\\n\\n" ]}',
    ],
    [
      "a key again that is long",
      '{"long long long":1,"x":2,"long long long":{"y":3},"":4,"z":[1,{"long long long":[]}]}',
    ],
  ])("are put together: %s", (_, text) => {
    for (const size of SIZES) expect(JSON.stringify(inPieces(text, size))).toBe(JSON.stringify(JSON.parse(text)));
  });

  it.each([
    [
      "[1,2,]",
      "[,1,2]",
      "[1,,2]",
      "[1 2]",
      "[1,2",
      "1,2]",
      "[1,2}",
      "[]]",
      "[] []",
      ",",
      "",
      "[1,[2,3]4]",
      "[[1,2][3]]",
    ],
    ['{"a":1,}', '{,"a":1}', '{"a":1,,"b":2}', '{"a"}', '{"a":1 "b":2}', '{"a":{"b":1,"c":2}"d":3}', "{[1,2]:3}"],
    [
      '{"a":"b":[1,2]}',
      '{"a" [1,2]}',
      '{"a":1,"b":[1,2]x}',
      "[1,x[2,3]]",
      "1[2,3]",
      '["a]',
      "[ , ]",
      '{"a":[1,2],}',
      "[[1,2],]",
    ],
  ])("are refused as the whole is: %s …", (...texts) => {
    for (const text of texts) {
      expect(whole(text), text).toBeUndefined();
      for (const size of SIZES) expect(inPieces(text, size), text).toBeUndefined();
    }
  });

  it("are what the whole is, whatever it is and whatever is done to it", () => {
    const stringUnit = fc.constantFrom("grapheme", "binary-ascii");
    const json = stringUnit.chain((unit) => fc.json({ maxDepth: 5, stringUnit: unit }));
    const text = json.chain((json) =>
      fc.oneof(
        fc.constant(json),
        fc
          .tuple(fc.nat(json.length), fc.nat(3), fc.constantFrom("", ",", "]", "[", "{", "}", ":", '"', " ", "1"))
          .map(([at, removed, added]) => json.slice(0, at) + added + json.slice(at + removed)),
      ),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (made, size) => {
        // What was done to it may have left half of a character.
        const json = Buffer.from(made).toString();
        expect(JSON.stringify(inPieces(json, size))).toBe(JSON.stringify(whole(json)));
      }),
      { numRuns: 2_000 },
    );
  });

  it("let others have their turn after a long text", () => {
    const turns = [...parseInSteps(Buffer.from(`{"a":"${"x".repeat(5_000)}"}`), "latin1", 1_000)];
    expect(turns).toHaveLength(1);
  });

  it.each([
    ["text", JSON.stringify("x".repeat(50_000))],
    ["text of escapes", JSON.stringify("\n".repeat(50_000))],
    ["number", "1".repeat(50_000)],
    ["space", `1${" ".repeat(50_000)}`],
  ])("let others have their turn within a long one: %s", (_what, text) => {
    expect(counted(parseInSteps(Buffer.from(`{"a":${text}}`), "latin1", 1_000)).steps).toBeGreaterThan(10);
  });

  it("leaves one very long text, or nothing but space, to the full parser", () => {
    for (const text of [JSON.stringify("x".repeat(100_000)), " ".repeat(100_000)])
      expect(counted(parseInSteps(Buffer.from(text), "latin1", 1_000)).result).toBeUndefined();
  });

  it.each([
    ["value", (text: string) => `{"a":[1,{"b":2,"c":${text},"d":3}]}`],
    ["key", (text: string) => `{"a":[1,{"b":2,${text}:{"c":3},"d":4}]}`],
    ["item", (text: string) => `{"a":[1,${text},2]}`],
  ])("are never read as a whole where most of it is one text: a %s", (_what, documentOf) => {
    const document = documentOf(`"${"\\u003cü".repeat(10_000)}"`);
    const expected: unknown = JSON.parse(document);
    const parse = vi.spyOn(JSON, "parse");
    expect(inPieces(document, 1_000)).toEqual(expected);
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(5_000);
    parse.mockRestore();
  });

  it.each(["", "]", "]}"])("are never read as a whole where the end is cut off: only %j of it is there", (end) => {
    const parse = vi.spyOn(JSON, "parse");
    const items = Array.from({ length: 1_000 }, (_, index) => `{"name":"n${index}"}`).join(",");
    expect(inPieces(`{"a":{"b":[${items}${end}`, 1_000)).toBeUndefined();
    expect(Math.max(...parse.mock.calls.map(([text]) => text.length))).toBeLessThan(2_000);
    parse.mockRestore();
  });

  it("let others have their turn in between", () => {
    const text = JSON.stringify({ a: Array.from({ length: 1_000 }, (_, index) => ({ name: `n${index}` })) });
    let turns = 0;
    for (const _turn of parseInSteps(Buffer.from(text), "latin1", 1_000)) turns += 1;
    expect(turns).toBeGreaterThan(10);
  });
});

it("hands on the keys of wide objects, but of the document itself, which others add to", () => {
  const members = Array.from({ length: FEW_KEYS + 1 }, (_, index) => `"k${index}":[${index}]`);
  const wide = `{${[...members, '"k7":0', '"last":{}'].join(",")}}`;
  const document = inPieces(`{"a":${wide},${members.join(",")}}`, 50) as Record<string, object>;
  expect(document).toEqual(JSON.parse(`{"a":${wide},${members.join(",")}}`));
  expect([isSettled(document["a"]!), isSettled(document)]).toEqual([true, false]);
  expect(keysOf(document["a"]!)).toEqual(Object.keys(JSON.parse(wide)));
});
