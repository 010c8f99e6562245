import { decode as oracleDecode, encode as oracleEncode } from "cborg";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { FEW_KEYS, isSettled, keysOf } from "../base/wide-keys.ts";
import { opt, ptr, s } from "../schema/builder.ts";
import type { StructSchema } from "../schema/schema.ts";
import { byteFields } from "./cbor/byte-fields.ts";
import { readCbor, readCborInSteps } from "./cbor/decode.ts";
import { writeCborInSteps } from "./cbor/encode.ts";
import { decodeCbor, encodeCbor, encodeCborEvent } from "./cbor.ts";
import { DecodeError } from "./decode-error.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const bytes = (text: string): Uint8Array => Buffer.from(text, "hex");

/** What the other implementation reads, with our byte strings as the texts they are. */
function asText(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("utf8");
  if (Array.isArray(value)) return value.map(asText);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries([...value].map(([key, member]) => [asText(key), asText(member)]));
}

describe("an event of a watch in CBOR", () => {
  it("holds an object that says itself that it is CBOR", () => {
    const event = encodeCborEvent("MODIFIED", encodeCbor({ a: 1 }));
    expect(hex(event)).toBe("d9d9f7a2447479706548" + hex(Buffer.from("MODIFIED")) + "466f626a656374d9d9f7a1416101");
    expect(decodeCbor(event).value).toEqual({ type: "MODIFIED", object: { a: 1 } });
  });
});

describe("bytes in CBOR", () => {
  const inner = s.struct("test.v1.Inner", () => ({ blob: opt.bytes(1), text: opt.string(2) }));
  const thing: StructSchema = s.struct("test.v1.Thing", () => ({
    blob: ptr.bytes(1),
    data: opt.map("bytes", 2),
    list: opt.list(inner, 3),
    parts: opt.list("bytes", 4),
    self: ptr.of(thing, 5),
    text: opt.string(6),
    labels: opt.map("string", 7),
  }));
  const value = {
    blob: "/w==",
    data: { a: "AAEC", b: "", c: null },
    list: [{ blob: "AQ==", text: "AQ==" }],
    parts: ["Ag=="],
    text: "AQ==",
    labels: { a: "AQ==" },
  };

  it("stand as they are behind the tag of what text shows in base64, as upstream writes them", () => {
    expect(hex(encodeCbor({ blob: "/w==", text: "AQ==" }, thing)).slice(6)).toBe(
      "a2" + "44626c6f62" + "d641ff" + "4474657874" + "44" + hex(Buffer.from("AQ==")),
    );
    const count = (bytes: Uint8Array) => hex(bytes).split("d64").length - 1;
    expect([count(encodeCbor(value, thing)), count(encodeCbor(value))]).toEqual([5, 0]);
  });

  it.each([
    ["base64 of URLs", "d5"],
    ["base64", "d6"],
    ["hexadecimal", "d7"],
  ])("are those that came, whether text shows them in %s or not", (_what, tag) => {
    const sent = bytes(`a2 44626c6f62 ${tag}43fbfffe 4464617461 a14161 ${tag}43fbfffe`.replaceAll(" ", ""));
    const value = { blob: "+//+", data: { a: "+//+" } };
    expect(decodeCbor(sent, 10, thing).value).toEqual(value);
    expect(atOnce(readCborInSteps(sent, 10, 1, byteFields(thing))).value).toEqual(value);
  });

  it("are read as text shows them where no bytes are meant, and the tag says nothing of what is none", () => {
    expect(decodeCbor(bytes("a14474657874d743fbfffe"), 10, thing).value).toEqual({ text: "fbfffe" });
    expect(decodeCbor(bytes("d66161")).value).toBe("a");
    expect(decodeCbor(bytes("d68101")).value).toEqual([1]);
  });

  it("are what they were for who reads them, in steps too", () => {
    const whole = encodeCbor(value, thing);
    expect(decodeCbor(whole).value).toEqual(value);
    for (const perStep of [1, 3])
      expect(hex(atOnce(writeCborInSteps(value, whole.subarray(0, 3), byteFields(thing), perStep)))).toBe(hex(whole));
  });
});

describe("CBOR in steps", () => {
  const LONG = {
    list: Array.from({ length: 40 }, (_, index) => ({ index, name: `n${index}`, inner: [index, [`<${index}>`]] })),
    map: Object.fromEntries(
      Array.from({ length: 90 }, (_, index) => [`key-${(index * 7) % 90}`, index % 9 ? "v" : {}]),
    ),
    absent: undefined,
  };
  const encoded = encodeCbor(LONG).subarray(3);

  it("is what is read and written at once", () => {
    for (const perStep of [1, 7, 100, 1_000_000]) {
      expect(hex(atOnce(writeCborInSteps(LONG, Uint8Array.of(), undefined, perStep)))).toBe(hex(encoded));
      expect(atOnce(readCborInSteps(encoded, 100, perStep))).toEqual(readCbor(encoded, 100));
    }
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 20 }), (value, perStep) => {
        const whole = encodeCbor(value);
        expect(hex(atOnce(writeCborInSteps(value, whole.subarray(0, 3), undefined, perStep)))).toBe(hex(whole));
        expect(atOnce(readCborInSteps(whole, 100, perStep)).value).toEqual(decodeCbor(whole).value);
      }),
    );
  });

  it("lets others have their turn", () => {
    expect([...writeCborInSteps(LONG, Uint8Array.of(), undefined, 50)].length).toBeGreaterThan(5);
    expect([...readCborInSteps(encoded, 100, 100)].length).toBeGreaterThan(5);
  });

  it.each(["9f01", "a2414101414102", "bf41", "8381", "d9d9f7a14101", "c1a0", "ff", `${"81".repeat(70)}01`, "a10101"])(
    "refuses %s in the same words",
    (text) => {
      const refusal = (read: () => unknown): string => {
        try {
          read();
        } catch (error) {
          return (error as Error).message;
        }
        return "read";
      };
      const words = refusal(() => readCbor(bytes(text), 1));
      expect(words).not.toBe("read");
      expect(refusal(() => atOnce(readCborInSteps(bytes(text), 1)))).toBe(words);
    },
  );
});

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
    ["d9d9f7f6", null],
    ["9f01ff", [1]],
    [
      "9f9f8080ff9f8080ffff",
      [
        [[], []],
        [[], []],
      ],
    ],
    ["bf6141bf616101616202ff6142bf616901616a02ffff", { A: { a: 1, b: 2 }, B: { i: 1, j: 2 } }],
    ["7f616161626163ff", "abc"],
    ["5f426865436c6c6fff", "hello"],
    ["d65f41014302" + "0304ff", "AQIDBA=="],
    ["4180", "\ufffd"],
    ["d86401", 1],
    ["c074323031332d30332d32315432303a30343a30305a", "2013-03-21T20:04:00Z"],
    ["c11a514b67b0", "2013-03-21T20:04:00Z"],
    ["c1fb41d452d9ec200000", "2013-03-21T20:04:00.5Z"],
    ["1b7fffffffffffffff", 2n ** 63n - 1n],
  ])("reads %s", (input, expected) => {
    expect(decodeCbor(bytes(input)).value).toEqual(expected);
  });

  it.each([
    ["", "unexpected EOF"],
    ["a2", "unexpected EOF"],
    ["5bffffffffffffffff00", "unexpected EOF"],
    ["9affffffff", "unexpected EOF"],
    ["9f01", "unexpected EOF"],
    ["7f6161", "unexpected EOF"],
    ["7f4161ff", "cbor: wrong element type byte string for indefinite-length UTF-8 text string"],
    ["ff", 'cbor: unexpected "break" code'],
    ["6180", "cbor: invalid UTF-8 string"],
    ["7f61c3" + "61a9ff", "cbor: invalid UTF-8 string"],
    ["a2416101416102", 'cbor: found duplicate map key "a" at map element index 1'],
    ["a25f426865436c6c6fff01" + "6568656c6c6f02", 'cbor: found duplicate map key "hello" at map element index 1'],
    ["f7", "cbor: data item of cbor type primitives is not accepted by protocol: simple value 23 is not recognized"],
    ["c24101", "cbor: data item of cbor type tag is not accepted by protocol: bignum"],
    ["0001", "cbor: 1 bytes of extraneous data starting at index 1"],
    ["a10102", "cbor: map keys must be strings"],
    ["c16131", "cbor: tag number 1 must be followed by integer or floating-point number"],
    ["f97e00", "cbor: data item of cbor type primitives is not accepted by protocol: floating-point NaN"],
    ["1bffffffffffffffff", "cbor: cannot unmarshal 18446744073709551615 into Go value of type int64"],
    ["81".repeat(100) + "00", "cbor: exceeded max nested level 64"],
  ])("refuses %s: %s", (input, message) => {
    expect(() => decodeCbor(bytes(input))).toThrow(new DecodeError(message));
  });

  it("makes __proto__ an ordinary key", () => {
    const value = decodeCbor(oracleEncode({ ["__proto__"]: 1 })).value as object;
    expect(Object.keys(value)).toEqual(["__proto__"]);
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
        expect(asText(oracleDecode(encodeCbor(original).subarray(3), { useMaps: true }))).toEqual(original);
      }),
    );
  });
});

it("the keys of wide maps inside are handed on by who reads them in steps", () => {
  const wide = Object.fromEntries(Array.from({ length: FEW_KEYS + 1 }, (_, index) => [`k${index}`, "v"]));
  const value = atOnce(readCborInSteps(encodeCbor({ ...wide, wide }), 2 * FEW_KEYS)).value as Record<string, object>;
  expect(isSettled(value["wide"]!)).toBe(true);
  expect(keysOf(value["wide"]!)).toEqual(Object.keys(value["wide"]!));
  // Members of the whole are added later.
  expect(isSettled(value)).toBe(false);
});
