import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { FEW_KEYS, isSettled, keysOf } from "../base/wide-keys.ts";
import { opt, ptr, s } from "../schema/builder.ts";
import type { StructSchema } from "../schema/schema.ts";
import { DecodeError } from "./decode-error.ts";
import { readStructInSteps } from "./protobuf/decoder.ts";
import { Reader } from "./protobuf/reader.ts";
import { encodeProtobufMessage } from "./protobuf.testing.ts";
import {
  decodeProtobuf,
  decodeProtobufInSteps,
  decodeProtobufMessage,
  encodeProtobuf,
  encodeProtobufInSteps,
  encodeProtobufItem,
  readEnvelope,
} from "./protobuf.ts";
import { encodeProtobufList, encodeProtobufWatchEvent, PARTIAL_LIST_V1BETA1_NUMBERS } from "./protobuf-stream.ts";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
const unhex = (text: string): Uint8Array => Buffer.from(text.replaceAll(" ", ""), "hex");

const inner: StructSchema = s.struct("test.v1.Inner", () => ({
  kept: s.string(1),
  flag: opt.boolean(2),
  count: ptr.int32(3),
}));

const inlined: StructSchema = s.struct("test.v1.Inlined", () => ({
  left: ptr.of(inner, 1),
  right: opt.string(2),
}));

const schema: StructSchema = s.struct("test.v1.Thing", () => ({
  when: opt.time(1, undefined, { omitZero: true }),
  precisely: ptr.microTime(2),
  lasts: s.duration(3),
  size: ptr.quantity(4),
  port: ptr.intOrString(5),
  data: opt.map("bytes", 6),
  labels: opt.map("string", 7),
  numbers: opt.list("int64", 8),
  ratio: opt.double(9),
  inner: s.of(inner, 10),
  many: opt.list(inner, 11),
  body: s.inline(inlined, 12),
  raw: ptr.any("rawExtension", 13),
  extra: opt.map(s.listOf("string", { protoWrapper: "test.v1.ExtraValue" }), 14),
  blob: opt.bytes(15),
  always: s.list("string", 16),
  big: ptr.int64(17),
  limits: opt.map("quantity", 18),
  times: opt.map("time", 19),
  unnumbered: opt.string(),
}));

/** A message with only these fields of Inner, since Thing has many that are always written. */
const innerHex = (value: Record<string, unknown>): string => hex(encodeProtobufMessage(value, inner));

describe("protobuf", () => {
  it("is read in steps as it is at once, also where it is broken", () => {
    const value = {
      kind: "Thing",
      apiVersion: "v1",
      labels: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`k${index}`, "v"])),
      inner: { kept: "x".repeat(100), flag: true },
      many: Array.from({ length: 100 }, () => ({ kept: "a", count: 3 })),
      left: { kept: "y".repeat(50) },
    };
    const whole = encodeProtobuf(value, schema);
    const outcome = (read: () => unknown): unknown => {
      try {
        return read();
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
        return (error as Error).message;
      }
    };
    for (const bytes of [whole, whole.subarray(0, 700), unhex(hex(whole).replaceAll("0a01", "0a02"))]) {
      const once = outcome(() => decodeProtobuf(bytes, schema, 1_000));
      for (const perStep of [1, 10, 40, 10_000])
        expect(outcome(() => atOnce(decodeProtobufInSteps(bytes, schema, 1_000, perStep)))).toEqual(once);
    }
    expect([...decodeProtobufInSteps(whole, schema, 1_000, 100)].length).toBeGreaterThan(10);
    expect(() => atOnce(decodeProtobufInSteps(whole, schema, 100, 10))).toThrow();
  });

  describe("that is long", () => {
    const labels = Object.fromEntries(Array.from({ length: FEW_KEYS + 1 }, (_, index) => [`k${index}`, "v"]));

    it("is read in steps where JSON stands in a struct of a list", () => {
      const entry = s.struct("test.v1.Entry", () => ({ fields: ptr.any("fieldsV1", 1) }));
      const entries = s.struct("test.v1.Entries", () => ({ entries: opt.list(entry, 1) }));
      const fields = { many: Array.from({ length: 40_000 }, (_, index) => `${index}`) };
      const whole = encodeProtobuf({ entries: [{ fields }, { fields: {} }] }, entries);
      const { result, steps } = counted(decodeProtobufInSteps(whole, entries, 100));
      expect(result).toEqual(decodeProtobuf(whole, entries));
      expect(steps).toBeGreaterThan(20);
    });

    it("hands the keys of wide maps on", () => {
      const whole = encodeProtobuf({ labels }, schema);
      const read = atOnce(decodeProtobufInSteps(whole, schema, 2 * FEW_KEYS))["labels"] as object;
      expect(isSettled(read)).toBe(true);
      expect(keysOf(read)).toEqual(Object.keys(read));
    });

    it("counts a key of a map that comes twice once", () => {
      const once = encodeProtobufMessage({ labels }, schema);
      const read = atOnce(readStructInSteps(new Reader(Buffer.concat([once, once])), schema, {}))["labels"] as object;
      expect(keysOf(read)).toEqual(Object.keys(read));
    });
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, "0a00 1000"],
    [{ kept: "a", flag: true, count: 0 }, "0a0161 1001 1800"],
    [{ kept: "ü", count: -1 }, "0a02c3bc 1000 18ffffffffffffffffff01"],
    [{ kept: "x".repeat(200) }, `0ac801${"78".repeat(200)} 1000`],
  ])("writes scalars that are not pointers even when they are zero: case %#", (value, expected) => {
    expect(innerHex(value)).toBe(expected.replaceAll(" ", ""));
  });

  it("writes every kind of field as upstream does", () => {
    const value = {
      when: "2025-01-01T00:00:00Z",
      precisely: "2025-01-01T00:00:00.123456Z",
      lasts: "1m0s",
      size: "1Gi",
      port: "http",
      data: { b: "AQI=", a: "" },
      labels: { z: "1", a: "2" },
      numbers: [1, 300],
      ratio: 0.5,
      inner: { kept: "k" },
      many: [{ kept: "" }],
      left: { kept: "l" },
      right: "r",
      raw: { a: [1] },
      extra: { e: ["x", "y"] },
      blob: "/w==",
      always: null,
      big: 2n ** 63n - 1n,
      limits: { cpu: "100m" },
      unnumbered: "never on the wire",
    };
    const expected = [
      "0a08 08808bd2bb06 1000",
      "120b 08808bd2bb06 108094ef3a",
      "1a07 0880b09dc2df01",
      "2205 0a03314769",
      "2a0a 0801 1000 1a0468747470",
      "3205 0a0161 1200  3207 0a0162 12020102",
      "3a06 0a0161 120132  3a06 0a017a 120131",
      "4001 40ac02",
      "49 000000000000e03f",
      "5205 0a016b 1000",
      "5a04 0a00 1000",
      "620a 0a05 0a016c 1000 120172",
      "6a0b 0a09 7b2261223a5b315d7d",
      "720b 0a0165 1206 0a0178 0a0179",
      "7a01 ff",
      "8801 ffffffffffffffff7f",
      "9201 0d 0a03637075 1206 0a0431 30306d",
    ].join("");
    expect(hex(encodeProtobufMessage(value, schema))).toBe(expected.replaceAll(" ", ""));
    expect(hex(atOnce(encodeProtobufInSteps(value, schema)))).toBe(hex(encodeProtobuf(value, schema)));
  });

  it.each<[string, Record<string, unknown>]>([
    ["a map", { labels: Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, "v"])) }],
    ["a list of objects", { many: Array.from({ length: 10_000 }, () => ({ kept: "a", count: 3 })) }],
    ["a list of numbers", { numbers: Array.from({ length: 10_000 }, (_, index) => index) }],
    ["empty parts", { labels: null, many: [null], inner: null, extra: { a: [] } }],
  ])("is written in steps as it is at once: %s", (name, value) => {
    expect(hex(atOnce(encodeProtobufInSteps(value, schema)))).toBe(hex(encodeProtobuf(value, schema)));
    const steps = [...encodeProtobufInSteps(value, schema)].length;
    expect(steps).toBeGreaterThanOrEqual(name === "empty parts" ? 0 : 2);
  });

  it("wraps objects in the envelope", () => {
    const bytes = encodeProtobuf({ apiVersion: "v1", kind: "Thing", kept: "a" }, inner);
    expect(hex(bytes)).toBe("6b387300 0a0b 0a027631 1205 5468696e67 1205 0a0161 1000 1a00 2200".replaceAll(" ", ""));
    expect(decodeProtobuf(bytes, inner)).toEqual({ kind: "Thing", apiVersion: "v1", kept: "a" });
    expect(Object.keys(decodeProtobuf(bytes, inner)).slice(0, 2)).toEqual(["kind", "apiVersion"]);
  });

  it("reads what is absent as upstream's JSON shows it", () => {
    expect(decodeProtobufMessage(new Uint8Array(0), schema)).toEqual({
      lasts: "0s",
      inner: { kept: "" },
      always: null,
    });
  });

  it.each<[string, string, unknown]>([
    ["no time in a map", "9a01 05 0a0161 1200", { times: { a: null } }],
    ["an entry of a map without its time", "9a01 03 0a0161", { times: { a: null } }],
    ["the first second of 1970 in a map", "9a01 09 0a0161 1204 0800 1000", { times: { a: "1970-01-01T00:00:00Z" } }],
    ["the first second of 1970", "0a04 0800 1000", { when: "1970-01-01T00:00:00Z" }],
    ["no time", "0a00", {}],
  ])("tells no time from the time zero: %s", (_, bytes, expected) => {
    expect(decodeProtobufMessage(unhex(bytes), schema)).toMatchObject(expected as object);
    expect(Object.hasOwn(decodeProtobufMessage(unhex(bytes), schema), "when")).toBe(bytes === "0a04 0800 1000");
  });

  it("writes no time in a map as an empty message", () => {
    const bytes = hex(encodeProtobufMessage({ times: { a: null, b: "1970-01-01T00:00:00Z" } }, schema));
    expect(bytes.endsWith("9a01050a01611200" + "9a01090a0162120408001000")).toBe(true);
  });

  it.each([
    ["08ff82d1ffaf07 108094ebdc03", "12"],
    ["08ff87aeb498feffffff01", "12"],
    ["088083d1ffaf07", "0a"],
    ["08ff87aeb498feffffff01", "0a"],
  ])("refuses a time whose year has no four digits: %s", (time, tag) => {
    const bytes = unhex(time);
    const message = Buffer.concat([unhex(tag), Uint8Array.of(bytes.length), bytes]);
    expect(() => decodeProtobufMessage(message, schema)).toThrow(new DecodeError("proto: time out of range"));
  });

  it("passes over unknown fields of every wire type", () => {
    const unknown = "a00601 a10600000000000000 00 a2060101 a306 a00601 a406 a50600000000";
    expect(decodeProtobufMessage(unhex(`${unknown} 0a0161`), inner)).toEqual({ kept: "a" });
  });

  it.each([
    // Of the years 1970 and 1969: 0 and -1 seconds, with parts of a second that are too many, or below zero.
    ["0800 10ff93ebdc03", "1970-01-01T00:00:00.999999Z"],
    ["0800 108094ebdc03", "1970-01-01T00:00:01.000000Z"],
    ["0800 10ffffffff07", "1970-01-01T00:00:02.147483Z"],
    ["0800 10a4f4ffffffffffffff01", "1969-12-31T23:59:59.999999Z"],
    ["0800 10ffffffffffffffffff01", "1970-01-01T00:00:00.000000Z"],
    ["0801 1080808080f8ffffffff01", "1969-12-31T23:59:58.852517Z"],
    // To and fro over the last second of the year 9999, and the first of the year 0.
    ["08ff82d1ffaf07 10ff93ebdc03", "9999-12-31T23:59:59.999999Z"],
  ])("reads parts of a second beyond it as upstream does: %s", (time, expected) => {
    const bytes = unhex(time);
    const message = Buffer.concat([unhex("12"), Uint8Array.of(bytes.length), bytes]);
    expect(decodeProtobufMessage(message, schema)["precisely"]).toBe(expected);
  });

  it("takes a quantity that says nothing for none", () => {
    expect(decodeProtobufMessage(unhex("2200"), schema)["size"]).toBe("0");
    expect(() => decodeProtobufMessage(unhex("2202 0a00"), schema)).toThrow(/quantities must match/);
  });

  describe("a message that comes more than once", () => {
    // One after the other, both are one message: that is how protobuf merges.
    const merged = (...parts: string[]) => {
      const bytes = unhex(parts.join(""));
      const once = decodeProtobufMessage(bytes, schema);
      for (const perStep of [0, 3, 1_000])
        expect(atOnce(readStructInSteps(new Reader(bytes), schema, {}, perStep))).toEqual(once);
      return once;
    };

    it.each([
      ["of a struct", ["5203 0a0161", "5204 1001 1807", "5203 0a0162"], "inner", { kept: "b", flag: true, count: 7 }],
      ["of a struct in a struct", ["6205 0a03 0a0161", "6204 0a02 1001"], "left", { kept: "a", flag: true }],
      ["of fields that stand flat", ["6205 0a03 0a0161", "6203 120162"], "right", "b"],
      [
        "of a list, which has an item for each",
        ["5a02 1001", "5a02 1802"],
        "many",
        [
          { kept: "", flag: true },
          { kept: "", count: 2 },
        ],
      ],
      ["of a quantity", ["2203 0a0131", "2200"], "size", "1"],
      ["of a duration", ["1a02 0801", "1a00"], "lasts", "1ns"],
      ["of a number or text", ["2a04 0800 1005", "2a02 1a00"], "port", 5],
      ["of a text or number", ["2a05 0801 1a0161", "2a02 1007"], "port", "a"],
      ["of bare JSON", ["6a03 0a0131", "6a00", "6a03 a00601"], "raw", 1],
      ["of a time, of which the last counts", ["120408011000", "1200"], "precisely", undefined],
    ])("is read as one: %s", (_what, parts, name, value) => {
      expect(merged(...parts)[name] ?? undefined).toEqual(value);
    });

    it("keeps the keys of wide maps, wherever they stood", () => {
      const outer = s.struct("test.v1.Outer", () => ({
        labels: opt.of(
          s.struct("test.v1.L", () => ({ map: opt.map("string", 1) })),
          1,
        ),
      }));
      const mapOf = (from: number, to: number) =>
        encodeProtobufMessage(
          {
            labels: {
              map: Object.fromEntries(Array.from({ length: to - from }, (_, index) => [`k${from + index}`, "v"])),
            },
          },
          outer,
        );
      const bytes = Buffer.concat([mapOf(0, 3), mapOf(3, FEW_KEYS), mapOf(FEW_KEYS, FEW_KEYS + 2), mapOf(0, 6_000)]);
      const { labels } = atOnce(readStructInSteps(new Reader(bytes), outer, {})) as { labels: { map: object } };
      expect(isSettled(labels.map)).toBe(true);
      expect(keysOf(labels.map)).toEqual(Object.keys(labels.map));
      expect(keysOf(labels.map)).toHaveLength(6_000);
    });

    it("does not take longer for each time", () => {
      const bytes = Buffer.concat(Array.from({ length: 200_000 }, () => unhex("5200 2200 6a00")));
      expect(decodeProtobufMessage(bytes, schema)).toMatchObject({ inner: { kept: "" }, size: "0" });
    });
  });

  it("takes packed lists of numbers", () => {
    expect(decodeProtobufMessage(unhex("4203 01ac02 4005"), schema)["numbers"]).toEqual([1, 300, 5]);
  });

  it.each([
    ["0a05 61", "unexpected EOF"],
    ["0a", "unexpected EOF"],
    ["0affffffff0f", "unexpected EOF"],
    ["08 01", "proto: wrong wireType = 0 for field kept"],
    ["7f", "proto: illegal wireType 7"],
    ["04", "proto: illegal tag 0 (wire type 4)"],
    ["7c", "proto: unexpected end of group"],
    ["18ffffffffffffffffffff01", "proto: integer overflow"],
  ])("refuses %s: %s", (input, message) => {
    expect(() => decodeProtobufMessage(unhex(input), inner)).toThrow(new DecodeError(message));
  });

  it.each([
    ["", "empty data"],
    ["6b3873", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    ["7b7d", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"],
    ["6b387300", "empty body"],
    ["6b387300 0805", "proto: wrong wireType = 0 for field typeMeta"],
    ["6b387300 1005", "proto: wrong wireType = 0 for field raw"],
    ["6b387300 0a021005", "proto: wrong wireType = 0 for field kind"],
  ])("refuses the envelope %s: %s", (input, message) => {
    expect(() => readEnvelope(unhex(input))).toThrow(new DecodeError(message));
  });

  it("reads a type that comes in parts", () => {
    const { apiVersion, kind } = readEnvelope(unhex("6b387300 0a04 0a027631 0a05 1203506f64 0a00"));
    expect([apiVersion, kind]).toEqual(["v1", "Pod"]);
  });

  it.each([
    ["a quantity", "2202 0805", "string"],
    ["a time", "0a02 0a00", "seconds"],
    ["a time in its parts", "1202 1200", "nanos"],
    ["a duration", "1a02 0a00", "duration"],
    ["a number or text", "2a02 0a00", "type"],
    ["a number or text in its text", "2a02 1805", "strVal"],
    ["bare JSON", "6a02 0805", "raw"],
    ["an entry of a map", "3a05 0a0161 1005", "value"],
    ["a wrapped list", "7207 0a0161 1202 0805", "items"],
  ])("refuses %s that is made of something else, as any field", (_what, input, field) => {
    const message = new RegExp(`^proto: wrong wireType = \\d for field ${field}$`);
    expect(() => decodeProtobufMessage(unhex(input), schema)).toThrow(message);
    expect(() => atOnce(readStructInSteps(new Reader(unhex(input)), schema, {}, 0))).toThrow(message);
  });

  it("refuses deep nesting without overflowing the stack", () => {
    const recursive: StructSchema = s.struct("test.v1.Node", () => ({
      child: ptr.of(recursive, 1),
    }));
    let bytes = Buffer.alloc(0);
    for (let level = 0; level < 3000; level++) {
      const head = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
      bytes = Buffer.concat([Uint8Array.of(0x0a, ...head), bytes]);
    }
    expect(() => decodeProtobufMessage(bytes, recursive)).toThrow(DecodeError);
  });

  it("never crashes on garbage", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), (garbage) => {
        try {
          decodeProtobufMessage(garbage, schema);
        } catch (error) {
          expect(error).toBeInstanceOf(DecodeError);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("is undone by decoding", () => {
    const text = fc.string({ unit: "grapheme" });
    const innerValue = fc.record(
      { kept: text, flag: fc.constant(true), count: fc.integer() },
      { requiredKeys: ["kept"], noNullPrototype: true },
    );
    const base64 = fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString("base64"));
    const date = fc
      .date({ min: new Date("1900-01-01"), max: new Date("2500-01-01"), noInvalidDate: true })
      .filter((value) => Math.trunc(value.getTime() / 1000) !== 0);
    const dictionary = <T>(value: fc.Arbitrary<T>) =>
      fc.dictionary(text, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
    const int64 = fc
      .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
      .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
    const value = fc.record(
      {
        when: date.map((moment) => `${moment.toISOString().slice(0, 19)}Z`),
        precisely: date.map((moment) => `${moment.toISOString().slice(0, 23)}456Z`),
        lasts: fc.constantFrom("0s", "1h0m0s", "-5s", "1.5ms"),
        size: fc.constantFrom("1Gi", "100m", "0", "12345678"),
        port: fc.oneof(fc.integer(), text),
        data: dictionary(base64),
        labels: dictionary(text),
        numbers: fc.array(int64, { minLength: 1, maxLength: 4 }),
        ratio: fc.double({ noNaN: true, noDefaultInfinity: true }).filter((number) => number !== 0),
        inner: innerValue,
        many: fc.array(innerValue, { minLength: 1, maxLength: 3 }),
        left: innerValue,
        right: text.filter((word) => word !== ""),
        raw: fc.array(fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)), { maxLength: 4 }),
        extra: dictionary(fc.array(text, { maxLength: 3 })),
        blob: base64.filter((word) => word !== ""),
        always: fc.array(text, { minLength: 1, maxLength: 3 }),
        big: int64,
        limits: dictionary(fc.constantFrom("1", "500m", "2Gi")),
      },
      { requiredKeys: ["lasts", "inner", "always"], noNullPrototype: true },
    );
    fc.assert(
      fc.property(value, (original) => {
        const plain = JSON.stringify(original, withDigits);
        const decoded = decodeProtobufMessage(encodeProtobufMessage(original, schema), schema);
        expect(JSON.stringify(sorted(decoded), withDigits)).toBe(JSON.stringify(sorted(JSON.parse(plain))));
      }),
      { numRuns: 150 },
    );
  });
});

/** Bigints as texts, so that JSON can show them. */
function withDigits(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function sorted(value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

describe("protobuf made of parts", () => {
  const items = [unhex("1205 0a0161 1000"), unhex("1205 0a0162 1000")];

  it("makes a list of its items without copying them", () => {
    const list = encodeProtobufList({ apiVersion: "v1", kind: "ThingList" }, { resourceVersion: "12" }, items);
    const chunks = [...list.chunks()];
    expect(hex(Buffer.concat(chunks))).toBe(
      "6b387300 0a0f 0a027631 1209 5468696e674c697374 1218 0a08 0a00 12023132 1a00 1205 0a01611000 1205 0a01621000 1a00 2200".replaceAll(
        " ",
        "",
      ),
    );
    expect(list.sizeBytes).toBe(Buffer.concat(chunks).length);
    expect(chunks).toContain(items[0]);
  });

  it("writes how many items remain, also when none do", () => {
    const list = encodeProtobufList({ apiVersion: "v1", kind: "L" }, { continue: "t", remainingItemCount: 0 }, []);
    expect(hex(Buffer.concat([...list.chunks()]))).toContain("0a09 0a00 1200 1a0174 2000".replaceAll(" ", ""));
  });

  it("knows the list that has its fields the other way round", () => {
    const type = { apiVersion: "v1", kind: "L" };
    const list = encodeProtobufList(type, {}, [unhex("0a05 0a0161 1000")], PARTIAL_LIST_V1BETA1_NUMBERS);
    expect(hex(Buffer.concat([...list.chunks()]))).toContain("0a05 0a01611000 1206 0a00 1200 1a00".replaceAll(" ", ""));
  });

  it("frames watch events by their length", () => {
    const object = unhex("6b387300 0a00");
    expect(hex(encodeProtobufWatchEvent("ADDED", object))).toBe(
      "00000011 0a05 4144444544 1208 0a06 6b3873000a00".replaceAll(" ", ""),
    );
  });

  it("makes lists of any size", () => {
    const large = Array.from({ length: 3 }, () => Buffer.alloc(200_000, 1));
    const list = encodeProtobufList({ apiVersion: "v1", kind: "L" }, {}, large);
    const bytes = Buffer.concat([...list.chunks()]);
    expect(bytes.length).toBe(list.sizeBytes);
    expect(readEnvelope(bytes).raw.length).toBe(600_000 + 8);
  });

  it("writes an item with its tag and its length, as a list has them", () => {
    const value = { kept: "x".repeat(200) };
    const message = hex(encodeProtobufMessage(value, inner));
    const length = message.length / 2;
    const head = `12${hex(Uint8Array.of((length & 0x7f) | 0x80, length >> 7))}`;
    expect(hex(encodeProtobufItem(value, inner))).toBe(head + message);
    expect(hex(encodeProtobufItem(value, inner, PARTIAL_LIST_V1BETA1_NUMBERS)).slice(0, 2)).toBe("0a");
  });
});
