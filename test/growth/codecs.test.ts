// Every encoding, read and written, with many small parts and with long ones: time grows with the input.

import { describe, expect, it } from "vitest";
import { decodeCbor, encodeCbor } from "../../src/codec/cbor.ts";
import { decodeJson, encodeJsonPretty } from "../../src/codec/json.ts";
import { encodeProtobufMessage } from "../../src/codec/protobuf.testing.ts";
import { decodeProtobufMessage } from "../../src/codec/protobuf.ts";
import { decodeYaml, encodeYaml } from "../../src/codec/yaml.ts";
import { ALL_KINDS } from "../../src/kinds/all-kinds.ts";
import { growthProblem, type Work } from "./growth.testing.ts";

const SIZE = 6_000;

const configMap = ALL_KINDS.find(({ kind }) => kind === "ConfigMap")!.schema;

const times = (count: number, text: (index: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, index) => text(index)).join(between);
const keys = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, `v${index}`]));
const reading =
  (decode: (bytes: Uint8Array) => unknown, text: (size: number) => string | Uint8Array): Work =>
  (size) => {
    const bytes = Buffer.from(text(size));
    return () => decode(bytes);
  };
const writing =
  (encode: (value: unknown) => unknown, value: (size: number) => unknown): Work =>
  (size) => {
    const made = value(size);
    return () => encode(made);
  };

const rows: [string, Work][] = [
  ["JSON with many keys", reading(decodeJson, (size) => JSON.stringify(keys(size)))],
  ["JSON with one key again and again", reading(decodeJson, (size) => `{${times(size, () => '"a":1', ",")}}`)],
  ["JSON with integers that are not written so", reading(decodeJson, (size) => `[${times(size, () => "1.0", ",")}]`)],
  [
    "JSON with bytes that are no text",
    reading(decodeJson, (size) => Buffer.concat([QUOTE, Buffer.alloc(size * 10, 0xff), QUOTE])),
  ],
  ["JSON with halves of characters", reading(decodeJson, (size) => `"${"\\ud800\\n".repeat(size)}"`)],
  ["JSON, written for people", writing(encodeJsonPretty, keys)],
  ["YAML with many keys", reading(decodeYaml, (size) => times(size, (index) => `k${index}: v`))],
  ["YAML with one key again and again", reading(decodeYaml, (size) => times(size, () => "k: v"))],
  ["YAML with a long list", reading(decodeYaml, (size) => times(size, (index) => `- a${index}`))],
  ["YAML with a long list in brackets", reading(decodeYaml, (size) => `a: [${times(size, String, ", ")}]`)],
  ["YAML with many anchors", reading(decodeYaml, (size) => times(size, (index) => `- &a${index} x`))],
  ["YAML with many merged maps", reading(decodeYaml, (size) => `a: &a {x: 1}\nb:\n${times(size, () => "  - <<: *a")}`)],
  ["YAML with many escapes", reading(decodeYaml, (size) => `a: "${"\\n".repeat(size)}"`)],
  ["YAML with a folded text", reading(decodeYaml, (size) => `a: >\n${"  x\n\n".repeat(size)}`)],
  ["YAML with many documents", reading(decodeYaml, (size) => "--- {}\n".repeat(size))],
  ["YAML with many tags", reading(decodeYaml, (size) => times(size, (index) => `k${index}: !!str v`))],
  ["YAML, written with many keys", writing(encodeYaml, keys)],
  ["YAML, written with a long text", writing(encodeYaml, (size) => ({ a: "x y ".repeat(size) }))],
  ["CBOR with many keys", reading(decodeCbor, (size) => encodeCbor(keys(size)))],
  ["CBOR with a list of no length", reading(decodeCbor, (size) => Buffer.from(`9f${"01".repeat(size)}ff`, "hex"))],
  [
    "CBOR with many pieces of a text",
    reading(decodeCbor, (size) =>
      Buffer.concat([Buffer.of(0x7f), Buffer.from("6161".repeat(size), "hex"), Buffer.of(0xff)]),
    ),
  ],
  ["CBOR, written", writing(encodeCbor, keys)],
  [
    "protobuf with many keys",
    reading(
      (bytes) => decodeProtobufMessage(bytes, configMap),
      (size) => encodeProtobufMessage({ metadata: { name: "a" }, data: keys(size) }, configMap),
    ),
  ],
  ["protobuf with many empty texts", reading((bytes) => decodeProtobufMessage(bytes, configMap), emptyFinalizers)],
  [
    "protobuf, written",
    writing(
      (value) => encodeProtobufMessage(value as object as Record<string, unknown>, configMap),
      (size) => ({ data: keys(size) }),
    ),
  ],
];

const QUOTE = Buffer.from('"');

describe("the cost of an encoding", () => {
  it.each(rows)("grows with the input: %s", (_name, work) => {
    expect(growthProblem(work, SIZE)).toBeUndefined();
  });
});

/** metadata (1) with finalizers (14), each two bytes. */
function emptyFinalizers(size: number): Uint8Array {
  const finalizers = Buffer.from("7200".repeat(size), "hex");
  const length: number[] = [];
  for (let rest = finalizers.length; ; rest = Math.floor(rest / 128)) {
    length.push(rest < 128 ? rest : (rest % 128) + 128);
    if (rest < 128) break;
  }
  return Buffer.concat([Buffer.of(0x0a, ...length), finalizers]);
}
