// How many values a body may hold, whatever its size.

import { describe, expect, it } from "vitest";
import type { Json } from "../../base/json.ts";
import { atOnce } from "../../base/steps.ts";
import type { MediaType, Output } from "../../codec/negotiate.ts";
import { configMap } from "../../kinds/core/config-map.ts";
import { refuseCrowdedText, refuseCrowdedValue } from "./crowded-body.ts";
import { decodeBytes } from "./decode-bytes.ts";
import { encodeValue } from "./encode-value.ts";

const MOST = 128 * 1024;
const MOST_KEYS = 64 * 1024;
const TOO_MANY = expect.objectContaining({ code: 413, reason: "RequestEntityTooLarge" });

/** An object with a list: two values, and those in the list. */
const withItems = (count: number, item: Json = {}) => ({ items: Array.from({ length: count }, () => item) });
const withKeys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, ""]));
const outcome = (refuse: () => void): unknown => {
  try {
    refuse();
    return "taken";
  } catch (error) {
    return error;
  }
};

describe("a body in JSON", () => {
  it.each([
    ["as many as allowed", JSON.stringify(withItems(MOST - 2, 1)), "taken"],
    ["one more", JSON.stringify(withItems(MOST - 1, 1)), TOO_MANY],
    ["too many objects", JSON.stringify(withItems(MOST)), TOO_MANY],
    ["one text that looks like many values", JSON.stringify({ text: "{},".repeat(MOST * 2) }), "taken"],
    [
      "as many keys in one map as allowed",
      JSON.stringify({ a: withKeys(MOST_KEYS), b: withKeys(MOST_KEYS - 3) }),
      "taken",
    ],
    ["a key more", JSON.stringify({ a: [withKeys(MOST_KEYS + 1)] }), TOO_MANY],
    ["keys before and behind others", JSON.stringify({ ...withKeys(MOST_KEYS), a: {}, b: [] }), TOO_MANY],
    ["deeper nesting than any reader follows", "[".repeat(4 * MOST), "taken"],
    ["a text with quotes in it", JSON.stringify({ text: '"{},'.repeat(MOST) }), "taken"],
  ])("with %s", (_, text, expected) => {
    expect(outcome(() => atOnce(refuseCrowdedText(Buffer.from(text))))).toEqual(expected);
  });
});

describe("a decoded body", () => {
  it.each([
    ["as many as allowed", withItems(MOST - 2), "taken"],
    ["one more", withItems(MOST - 1), TOO_MANY],
    ["many, nested", { a: withItems(MOST / 2, {}), b: withItems(MOST / 2, {}) }, TOO_MANY],
  ])("with %s", (_, value, expected) => {
    expect(outcome(() => atOnce(refuseCrowdedValue(value, 10 * MOST)))).toEqual(expected);
  });

  it("of few bytes is not counted: it cannot hold too many", () => {
    expect(outcome(() => atOnce(refuseCrowdedValue(withItems(MOST), MOST)))).toBe("taken");
  });
});

describe("every encoding", () => {
  it.each<MediaType>(["json", "yaml", "cbor", "protobuf"])("is bounded in the keys of a map: %s", (mediaType) => {
    const output: Output = { mediaType, stream: false, pretty: false };
    const encoded = (count: number) => {
      const value = { apiVersion: "v1", kind: "ConfigMap", data: withKeys(count) };
      return { bytes: encodeValue(value, configMap.schema, output), mediaType };
    };
    expect(outcome(() => decodeBytes(encoded(MOST_KEYS), configMap.schema))).toBe("taken");
    expect(outcome(() => decodeBytes(encoded(MOST_KEYS + 1), configMap.schema))).toEqual(TOO_MANY);
  });

  it.each<MediaType>(["json", "yaml", "cbor"])("is bounded: %s", (mediaType) => {
    const output: Output = { mediaType, stream: false, pretty: false };
    const bytes = encodeValue(withItems(MOST, 1), configMap.schema, output);
    expect(outcome(() => decodeBytes({ bytes, mediaType }, configMap.schema))).toEqual(TOO_MANY);
  });
});
