import { decode as oracleDecode, encode as oracleEncode } from "cborg";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeCbor, decodeCborSequence, encodeCbor } from "./cbor.ts";
import { DecodeError } from "./decode-error.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text, "hex");

describe("CBOR", () => {
  it.each<[unknown, string]>([
    [{}, "a0"],
    [{ bb: 1, a: "x" }, "a241614178426262" + "01"],
    [[true, false, null], "83f5f4f6"],
    [[23, 24, 255, 256, 65536, 2 ** 32], "861718" + "18" + "18ff" + "190100" + "1a00010000" + "1b0000000100000000"],
    [[-1, -25, -(2n ** 63n)], "8320" + "3818" + "3b7fffffffffffffff"],
    [[1.5, 100000.5, 0.1, 2 ** -24], "84f93e00" + "fa47c35040" + "fb3fb999999999999a" + "f90001"],
    ["", "40"],
  ])("writes %o as upstream does", (value, expected) => {
    expect(hex(encodeCbor(value))).toBe(`d9d9f7${expected}`);
  });

  it.each<[string, unknown]>([
    ["a16161" + "6178", { a: "x" }],
    ["a14161" + "4178", { a: "x" }],
    ["d64401020304", "AQIDBA=="],
    ["d74401020304", "01020304"],
    ["d9d9f7f7", null],
    ["1b7fffffffffffffff", 2n ** 63n - 1n],
  ])("reads %s", (input, expected) => {
    expect(decodeCbor(bytes(input)).value).toEqual(expected);
  });

  it.each([
    ["", "unexpected EOF"],
    ["a2", "unexpected EOF"],
    ["5bffffffffffffffff00", "unexpected EOF"],
    ["9affffffff", "unexpected EOF"],
    ["9f01ff", "cbor: indefinite-length items are not allowed"],
    ["0001", "cbor: 1 bytes of extraneous data starting at index 1"],
    ["a10102", "cbor: map keys must be strings"],
    ["c101", "cbor: unrecognized tag number 1"],
    ["f97e00", "cbor: floating-point NaN and infinity are not allowed"],
    ["1bffffffffffffffff", "cbor: cannot unmarshal 18446744073709551615 into Go value of type int64"],
    ["81".repeat(100) + "00", "cbor: exceeded max nested level 64"],
  ])("refuses %s: %s", (input, message) => {
    expect(() => decodeCbor(bytes(input))).toThrow(new DecodeError(message));
  });

  it("finds repeated keys", () => {
    expect(decodeCbor(bytes("a1416d" + "a2416101416102"))).toMatchObject({
      value: { m: { a: 2 } },
      duplicates: ['duplicate field "m.a"'],
    });
  });

  it("makes __proto__ an ordinary key", () => {
    const value = decodeCbor(oracleEncode({ ["__proto__"]: 1 })).value as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
  });

  it("reads sequences", () => {
    const sequence = Buffer.concat([encodeCbor({ type: "ADDED" }), encodeCbor([1])]);
    expect(decodeCborSequence(sequence)).toEqual([{ type: "ADDED" }, [1]]);
  });

  it("never crashes on garbage", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (garbage) => {
        try {
          decodeCbor(garbage);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is undone by decoding, and agrees with another implementation", () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.string({ unit: "grapheme" }),
        fc.boolean(),
        fc.constant(null),
        fc.maxSafeInteger(),
        fc.bigInt({ min: 2n ** 60n, max: 2n ** 63n - 1n }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => !Number.isInteger(number)),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(fc.string(), tie("value"), { maxKeys: 5, noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(value, (original) => {
        expect(decodeCbor(encodeCbor(original)).value).toEqual(original);
        expect(decodeCbor(oracleEncode(original)).value).toEqual(original);
        expect(() => oracleDecode(encodeCbor(original).subarray(3), { useMaps: true })).not.toThrow();
      }),
    );
  });
});
