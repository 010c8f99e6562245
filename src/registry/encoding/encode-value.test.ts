// Values in every encoding, there and back: what is written is what is read. Requirements: document 1, "Media types",
// "Protobuf envelope".

import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../base/json.ts";
import type { MediaType, Output } from "../../codec/negotiate.ts";
import { configMap } from "../../kinds/core/config-map.ts";
import { statusSchema } from "../../kinds/meta/status.ts";
import { opt, s } from "../../schema/builder.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { encodeStatus } from "./encode-status.ts";
import { encodeValue } from "./encode-value.ts";

const MEDIA_TYPES: readonly MediaType[] = ["json", "yaml", "cbor", "protobuf"];
const output = (mediaType: MediaType, pretty = false): Output => ({ mediaType, stream: false, pretty });
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

const object = {
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", labels: { "x.io/y": 'ü \u0001 "quoted"', empty: "" } },
  data: { yes: "no", number: "1e3", lines: "one\n two\n", null: "null", long: "x".repeat(3_000) },
  binaryData: { bytes: "AAECAw==" },
};

describe("a value", () => {
  it.each(MEDIA_TYPES)("in %s is read as it was written", (mediaType) => {
    const bytes = encodeValue(object, configMap.schema, output(mediaType));
    const { value, duplicates } = decodeBytes({ bytes, mediaType }, configMap.schema);
    const { metadata, ...rest } = value as { metadata: JsonObject };
    expect(rest).toEqual({ ...object, metadata: undefined, kind: "ConfigMap" });
    expect(metadata).toMatchObject(object.metadata);
    expect(duplicates).toEqual([]);
  });

  it.each<[mediaType: MediaType, start: string]>([
    ["json", '{"kind":"ConfigMap","apiVersion":"v1"'],
    ["yaml", "apiVersion: v1\n"],
    ["protobuf", "k8s\u0000"],
  ])("in %s begins with %j", (mediaType, start) => {
    expect(textOf(encodeValue(object, configMap.schema, output(mediaType))).startsWith(start)).toBe(true);
  });

  it("in CBOR says that it is CBOR", () => {
    const bytes = encodeValue(object, configMap.schema, output("cbor"));
    expect([...bytes.subarray(0, 3)]).toEqual([0xd9, 0xd9, 0xf7]);
  });

  it("is indented for people in JSON, and nowhere else", () => {
    const json = textOf(encodeValue({ kind: "ConfigMap" }, configMap.schema, output("json", true)));
    expect(json).toBe('{\n  "kind": "ConfigMap"\n}');
    for (const mediaType of ["yaml", "cbor", "protobuf"] as const) {
      const plain = encodeValue(object, configMap.schema, output(mediaType));
      expect(encodeValue(object, configMap.schema, output(mediaType, true))).toEqual(plain);
    }
  });
});

describe("a Status", () => {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'configmaps "a" not found',
    reason: "NotFound",
    details: { name: "a", kind: "configmaps" },
    code: 404,
  };
  it.each(MEDIA_TYPES)("in %s is read as it was written", (mediaType) => {
    const bytes = encodeStatus(status, output(mediaType));
    expect(decodeBytes({ bytes, mediaType }, statusSchema).value).toMatchObject(status);
  });
});

describe("bytes", () => {
  const schema = s.struct("test.v1.Thing", "For a test.", () => ({
    count: opt.int32(1, "A whole number."),
    ratio: opt.double(2, "Any number."),
  }));
  const decode = (text: string, mediaType: MediaType = "json", countOnly = false) =>
    decodeBytes({ bytes: Buffer.from(text), mediaType }, schema, countOnly);

  it.each<[mediaType: MediaType, text: string, named: RegExp]>([
    ["json", '{"a":{"b":1,"b":2},"c":1}', /^duplicate field "a.b"$/],
    ["yaml", "a:\n  b: 1\n  b: 2\nc: 1\n", /line 3: key "b" already set in map/],
  ])("in %s with repeated keys: the last one counts, and each is named", (mediaType, text, named) => {
    const { value, duplicates } = decode(text, mediaType);
    expect(value).toEqual({ a: { b: 2 }, c: 1 });
    expect(duplicates).toEqual([expect.stringMatching(named)]);
  });

  it("whose keys are only counted name none, and say how many there were", () => {
    expect(decode('{"a":{"b":1,"b":2},"c":1}', "json", true)).toMatchObject({ duplicates: [], keys: 4 });
  });

  it.each<[mediaType: MediaType, text: string, odd: boolean]>([
    ["json", '{"count":1}', false],
    ["json", '{"count":1.0}', true],
    ["json", '{"count":1e2}', true],
    ["json", '{"ratio":1.0}', false],
    ["json", '{"unknown":1.0}', false],
    // YAML has one way to say 1, whatever its text.
    ["yaml", "count: 1.0", false],
    ["yaml", '{"count":1.0}', false],
  ])("in %s that say %s have an odd number where an integer belongs: %s", (mediaType, text, odd) => {
    expect(decode(text, mediaType).oddNumber !== undefined).toBe(odd);
  });

  it.each<[mediaType: MediaType, bytes: Json]>([
    ["json", "{"],
    ["json", '{"a":1} {"b":2}'],
    ["yaml", "a: [1"],
    ["cbor", "\u0001\u0002"],
    ["protobuf", "k8s"],
    ["protobuf", "{}"],
  ])("in %s that are none fail: %j", (mediaType, bytes) => {
    expect(() => decode(bytes as string, mediaType)).toThrow();
  });
});
