// Schemas of definitions, which contain themselves in maps, lists and in place of booleans: the same in steps as at once.

import { describe, expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { atOnce } from "../../base/steps.ts";
import { jsonSchemaProps } from "../../kinds/apiextensions/json-schema-props.ts";
import { encodeProtobufMessage } from "../protobuf.testing.ts";
import {
  decodeProtobuf,
  decodeProtobufInSteps,
  decodeProtobufMessage,
  encodeProtobuf,
  encodeProtobufInSteps,
} from "../protobuf.ts";
import { readStructInSteps } from "./decoder.ts";
import { Reader } from "./reader.ts";

const COUNT = 3_000;
const MAX_KEYS = 10 * COUNT;

const texts = Array.from({ length: COUNT }, (_, index) => `k${index}`);
const props = (member: unknown) => Object.fromEntries(texts.map((key) => [key, member]));
const wide = { type: "object", properties: props({ type: "string" }) };

describe.each<[string, Record<string, unknown>]>([
  ["properties of a property", { properties: { a: wide, b: {} } }],
  ["definitions", { definitions: { a: { definitions: { b: wide } } } }],
  ["an item", { items: wide }],
  ["a list of items", { items: [wide, { type: "string" }] }],
  ["additional properties", { additionalProperties: { additionalProperties: wide } }],
  ["dependencies", { dependencies: { a: wide, b: texts, c: { type: "string" } } }],
  ["an enum and a default of a property", { properties: { a: { enum: texts, default: props("v") } } }],
  ["all of", { allOf: [{ not: wide }, { additionalItems: wide }] }],
])("very many parts of %s", (_what, value) => {
  const whole = encodeProtobuf(value, jsonSchemaProps);

  it("are written in steps", () => {
    const { result, steps } = counted(encodeProtobufInSteps(value, jsonSchemaProps));
    expect(Buffer.compare(result, whole)).toBe(0);
    expect(steps).toBeGreaterThan(1);
  });

  it("are read in steps", () => {
    const once = decodeProtobuf(whole, jsonSchemaProps);
    const { result, steps } = counted(decodeProtobufInSteps(whole, jsonSchemaProps, MAX_KEYS));
    expect(result).toEqual(once);
    expect(steps).toBeGreaterThan(3);
    for (const bytesPerStep of [1, 100])
      expect(atOnce(decodeProtobufInSteps(whole, jsonSchemaProps, MAX_KEYS, bytesPerStep))).toEqual(once);
  });
});

it.each([
  ["a boolean", { additionalProperties: true }],
  ["its opposite", { additionalProperties: false, additionalItems: false }],
  ["no items", { items: [] }],
  ["nothing in a map", { properties: { a: {} }, dependencies: { a: [] } }],
])("%s in place of a schema is the same in steps", (_what, value) => {
  const whole = encodeProtobuf(value, jsonSchemaProps);
  expect(Buffer.compare(atOnce(encodeProtobufInSteps(value, jsonSchemaProps)), whole)).toBe(0);
  const read = atOnce(decodeProtobufInSteps(whole, jsonSchemaProps, MAX_KEYS, 0));
  expect(read).toEqual(decodeProtobuf(whole, jsonSchemaProps));
});

it.each([
  ["additional properties", (part: object) => ({ additionalProperties: part })],
  ["items", (part: object) => ({ items: part })],
  ["items of items", (part: object) => ({ items: { items: part } })],
])("the schema of %s may come in pieces", (_what, around) => {
  const pieces = [{ required: ["a"], minimum: 1 }, { required: ["b"] }];
  const whole = Buffer.concat(pieces.map((piece) => encodeProtobufMessage(around(piece), jsonSchemaProps)));
  const merged = around({ required: ["a", "b"], minimum: 1 });
  expect(decodeProtobufMessage(whole, jsonSchemaProps)).toEqual(merged);
  for (const perStep of [0, 4, 1_000])
    expect(atOnce(readStructInSteps(new Reader(whole), jsonSchemaProps, {}, perStep))).toEqual(merged);
});
