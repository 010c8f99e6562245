import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { DecodeError } from "./decode-error.ts";
import { parseJson } from "./json/parse.ts";
import {
  decodeJson,
  decodeJsonCounting,
  decodeJsonInSteps,
  decodeOwnJson,
  encodeJson,
  encodeJsonPlain,
  encodeJsonPretty,
  inTextOrder,
} from "./json.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (encoded: Uint8Array): string => Buffer.from(encoded).toString();

/** As JSON.parse would have read it: bigints rounded. */
const rounded = (value: unknown): string =>
  JSON.stringify(value, (_key, inner) => (typeof inner === "bigint" ? Number(inner) : inner));

describe("decoding JSON", () => {
  it.each([
    ["", "unexpected end of JSON input"],
    ["  ", "unexpected end of JSON input"],
    ["{", "unexpected end of JSON input"],
    ['"a', "unexpected end of JSON input"],
    ["-", "unexpected end of JSON input"],
    ["1e", "unexpected end of JSON input"],
    ["nonsense", "invalid character 'o' in literal null (expecting 'u')"],
    ["{} {}", "invalid character '{' after top-level value"],
    ["\ufeff{}", "invalid character 'ï' looking for beginning of value"],
    ['{"a":NaN}', "invalid character 'N' looking for beginning of value"],
    ["[1,]", "invalid character ']' looking for beginning of value"],
    ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["01", "invalid character '1' after top-level value"],
    ["-a", "invalid character 'a' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12g4"', "invalid character 'g' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ["\0", "invalid character '\\x00' looking for beginning of value"],
    ["'a'", "invalid character '\\'' looking for beginning of value"],
    ["[1e400]", "json: cannot unmarshal number 1e400 into Go value of type float64"],
  ])("refuses %j: %s", (input, message) => {
    expect(() => decodeJson(bytes(input))).toThrow(new DecodeError(message));
  });

  it.each([
    ['{"a":1,"a":2}', { a: 2 }, ['duplicate field "a"']],
    [
      '{"m":{"l":{"a":"1","a":"2"}},"c":[{"n":1},{"n":1,"n":2}]}',
      { m: { l: { a: "2" } }, c: [{ n: 1 }, { n: 2 }] },
      ['duplicate field "m.l.a"', 'duplicate field "c[1].n"'],
    ],
    ['{"a":1,"a":2,"a":3}', { a: 3 }, ['duplicate field "a"']],
    ['{"a\\"":1,"a\\u0022":2}', { 'a"': 2 }, ['duplicate field "a\\""']],
  ])("finds repeated keys in %s", (input, value, duplicates) => {
    expect(decodeJson(bytes(input))).toMatchObject({ value, duplicates });
  });

  it("counts the keys of the text for callers who count those of the value", () => {
    expect(decodeJsonCounting(bytes('{"a":{"b":[{"c":":"}]},"d" : "\\""}'))).toMatchObject({ keys: 4, duplicates: [] });
    expect(decodeJsonCounting(bytes('{"a":1,"a":2}'))).toMatchObject({ keys: 2, value: { a: 2 }, duplicates: [] });
    // Where only the full parser reads it right, it looks for repeated ones as well.
    const full = decodeJsonCounting(bytes('{"a":1,"a":12345678901234567890}'));
    expect(full.keys).toBeUndefined();
    expect(full.duplicates).toEqual(['duplicate field "a"']);
  });

  it("reports at most a hundred repeated keys", () => {
    const members = Array.from({ length: 200 }, (_, index) => `"k${index}":1,"k${index}":2`);
    expect(decodeJson(bytes(`{${members.join(",")}}`)).duplicates).toHaveLength(100);
  });

  it.each([
    ["", "1"],
    ["-", "1"],
    ["-1.", "1"],
    ["0.", "0"],
    ["1", "0"],
    ["1e-", "0"],
  ])("takes a number of 4,096 characters and no longer one: %s%s…", (before, digit) => {
    const number = before + digit.repeat(4_096 - before.length);
    const members = Array.from({ length: 60_000 }, (_, index) => `"k${index}":1`).join(",");
    for (const document of [(text: string) => `[${text}]`, (text: string) => `{"n":${text},${members}}`]) {
      const refusal = new DecodeError("json: cannot unmarshal a number of more than 4096 characters");
      const long = bytes(document(number + digit));
      expect(() => decodeJson(long)).toThrow(refusal);
      expect(() => decodeJsonCounting(long)).toThrow(refusal);
      expect(() => counted(decodeJsonInSteps(long))).toThrow(refusal);
      if (Number.isFinite(Number(number)))
        expect(rounded(decodeJson(bytes(document(number))).value)).toBe(rounded(JSON.parse(document(number))));
    }
  });

  it("keeps integers of 64 bits exact and knows which whole numbers are not written as such", () => {
    const { value, oddNumbers } = decodeJson(
      bytes(
        '{"a":9007199254740993,"b":-9223372036854775808,"c":9223372036854775808,"f":18446744073709551616,"d":[1e2,1.0,1.5],"e":-0}',
      ),
    );
    expect(value).toEqual({ a: 9007199254740993n, b: -(2n ** 63n), c: 2n ** 63n, f: 2 ** 64, d: [100, 1, 1.5], e: 0 });
    expect(oddNumbers).toEqual([
      { path: ["f"], text: "18446744073709551616" },
      { path: ["d", 0], text: "1e2" },
      { path: ["d", 1], text: "1.0" },
    ]);
  });

  it("replaces what is not Unicode", () => {
    expect(decodeJson(bytes('["\\ud800","\\ud83d\\ude00","\\ud800\\u0041","\\udc00"]')).value).toEqual([
      "\ufffd",
      "\u{1f600}",
      "\ufffdA",
      "\ufffd",
    ]);
    expect(decodeJson(Uint8Array.from([0x22, 0xe2, 0x82, 0x61, 0xff, 0x22])).value).toBe("\ufffd\ufffda\ufffd");
  });

  it("makes __proto__ an ordinary key, also in the full parser", () => {
    for (const input of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":1},"n":1e0}']) {
      const value = decodeJson(bytes(input)).value as object;
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect(Object.keys(value)).toContain("__proto__");
    }
  });

  it.each([20_000, 1_001])("refuses nesting of %d levels without overflowing the stack", (depth) => {
    for (const [open, close] of [
      ["[", "]"],
      ['{"a":', "}"],
    ] as const) {
      expect(() => decodeJson(bytes(`${open.repeat(depth)}1${close.repeat(depth)}`))).toThrow("exceeded max depth");
    }
    expect(() => decodeJson(bytes("[".repeat(1_000_000)))).toThrow("exceeded max depth");
  });

  it("accepts nesting of a thousand levels", () => {
    expect(decodeJson(bytes(`${"[".repeat(1000)}${"]".repeat(1000)}`)).value).toBeInstanceOf(Array);
  });

  it("agrees with JSON.parse on every document", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), (document) => {
        const expected = JSON.parse(document);
        const decoded = decodeJson(bytes(document));
        const full = parseJson(bytes(document), 100);
        expect(rounded(decoded.value)).toBe(JSON.stringify(expected));
        expect(rounded(full.value)).toBe(JSON.stringify(expected));
        expect(full.duplicates).toEqual(decoded.duplicates);
      }),
    );
  });

  it("agrees with JSON.parse on what is malformed", () => {
    const alphabet = fc.constantFrom(..."{}[]:,\"\\u0d8 -1.eE+tfn\nA'".split(""), "true", "null", '"a":', "\\ud83d");
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 12 }), (parts) => {
        const document = parts.join("");
        let expected: string | undefined;
        try {
          expected = JSON.stringify(JSON.parse(document)).replace(/\\ud[89a-f][0-9a-f]{2}/g, "\ufffd");
        } catch {
          expected = undefined;
        }
        let actual: string | undefined;
        try {
          actual = rounded(decodeJson(bytes(document)).value);
        } catch (error) {
          if (!(error instanceof DecodeError)) throw error;
        }
        expect(actual).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("decoding what this program wrote", () => {
  const anyInteger = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  });
  const leaf = fc.oneof(fc.string({ unit: "binary" }), anyInteger, fc.double({ noNaN: true }), fc.boolean());

  it("gives it back, integers beyond 2^53 too", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.oneof(leaf, fc.array(leaf), fc.dictionary(fc.string(), leaf))),
        (value) => {
          const written = encodeJsonPlain(value);
          expect(decodeOwnJson(written)).toEqual(decodeJson(written).value);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("reads what others wrote: with spaces, not in UTF-8", () => {
    expect(decodeOwnJson(bytes('{ "a" : 9007199254740993, "b": [ -9007199254740993 ] }'))).toEqual({
      a: 9007199254740993n,
      b: [-9007199254740993n],
    });
    expect(decodeOwnJson(Buffer.from('{"a":"\xff"}', "latin1"))).toEqual({ a: "\ufffd" });
  });

  it("says what is wrong with damaged bytes", () => {
    expect(() => decodeOwnJson(bytes('{"a":1'))).toThrow("unexpected end of JSON input");
  });
});

describe("encoding JSON", () => {
  it("escapes what HTML could misread, and ends with a newline", () => {
    expect(text(encodeJson({ a: "<b>&\u2028\u2029", "<": 1 }))).toBe(
      '{"a":"\\u003cb\\u003e\\u0026\\u2028\\u2029","\\u003c":1}\n',
    );
  });

  it("writes 64-bit integers as digits", () => {
    expect(text(encodeJsonPlain({ a: [2n ** 63n - 1n], b: undefined, c: "x", d: {} }))).toBe(
      '{"a":[9223372036854775807],"c":"x","d":{}}',
    );
  });

  it("indents by two spaces, with and without 64-bit integers", () => {
    const value = { a: [1, { b: "c" }], d: {}, e: [] };
    expect(text(encodeJsonPretty(value))).toBe(JSON.stringify(value, undefined, 2));
    const big = { a: [10n, { b: "c" }], d: {}, e: [] };
    expect(text(encodeJsonPretty(big))).toBe(JSON.stringify({ ...value, a: [10, { b: "c" }] }, undefined, 2));
  });

  it("is undone by decoding", () => {
    const leaf = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value)),
    );
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        leaf,
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(decodeJson(encodeJson(original)).value).toEqual(original);
      }),
    );
  });
});

it("shows the beginning of where keys are repeated", () => {
  const repeated = Array(100).fill('"a":1').join();
  const { duplicates } = decodeJson(bytes(`{"${"k".repeat(100_000)}":{${repeated}}}`));
  expect(duplicates).toEqual([`duplicate field "${"k".repeat(256)}..."`]);
});

describe("long documents that JSON.parse does not read right", () => {
  const members = Array.from({ length: 20_000 }, (_, index) => `"key-${index}":["a","b"]`).join();

  it.each([
    ["a number with an exponent", `{${members},"n":1e2}`],
    ["an integer beyond 2^53", `{"n":12345678901234567890,${members}}`],
    ["half of a character", `{${members},"n":"\\ud800"}`],
    ["a repeated key", `{${members},"key-7":1}`],
  ])("are read in steps: %s", (_, document) => {
    const { result, steps } = counted(decodeJsonInSteps(bytes(document)));
    const { value, duplicates, oddNumbers } = parseJson(bytes(document), 1_000);
    expect(result).toMatchObject({ duplicates, oddNumbers });
    expect(rounded(result.value)).toBe(rounded(value));
    // Sixteen kilobytes at a time, of more than four hundred.
    expect(steps).toBeGreaterThan(25);
  });

  it("fail in steps too, in the same words", () => {
    const work = decodeJsonInSteps(bytes(`{${members},"n":1e2 1}`));
    expect(() => counted(work)).toThrow("invalid character '1' after object key:value pair");
  });

  it("have what was found in them put in its order in steps", () => {
    const findings = ['unknown field "key-2"', 'duplicate field "key-1"'];
    const { result, steps } = counted(inTextOrder(findings, bytes(`{"key-1":0,${members}}`)));
    expect(result).toEqual([...findings].reverse());
    expect(steps).toBeGreaterThan(25);
  });
});
