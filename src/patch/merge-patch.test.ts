import { describe, expect, it } from "vitest";
import { cloneJson, type Json, type JsonObject } from "../base/json.ts";
import { atOnce } from "../base/steps.ts";
import { applyMergePatch as applyMergePatchInSteps } from "./merge-patch.ts";

const applyMergePatch = (...input: Parameters<typeof applyMergePatchInSteps>) =>
  atOnce(applyMergePatchInSteps(...input));

describe("JSON Merge Patch", () => {
  it.each<[behaviour: string, target: JsonObject, patch: Json, expected: Json]>([
    ["sets a member", { a: "b" }, { a: "c" }, { a: "c" }],
    ["adds a member", { a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    ["removes a member with null", { a: "b", b: "c" }, { a: null }, { b: "c" }],
    ["replaces lists whole", { a: ["b"] }, { a: ["c", null] }, { a: ["c", null] }],
    ["merges objects", { a: { b: "c", d: 1 } }, { a: { b: "d", c: null } }, { a: { b: "d", d: 1 } }],
    ["replaces a list by an object", { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
    ["drops nulls inside what it adds", {}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    ["keeps null members that it does not name", { e: null }, { a: 1 }, { e: null, a: 1 }],
    ["does nothing for an empty patch", { a: 1 }, {}, { a: 1 }],
    [
      "takes __proto__ for an ordinary key",
      {},
      JSON.parse('{"__proto__":{"x":1}}'),
      JSON.parse('{"__proto__":{"x":1}}'),
    ],
  ])("%s", (_behaviour, target, patch, expected) => {
    const before = cloneJson(target);
    expect(applyMergePatch(target, patch)).toEqual(expected);
    expect(target).toEqual(before);
  });

  it("answers 400 to a patch that is not an object", () => {
    expect(() => applyMergePatch({}, [])).toThrow(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    expect(() => applyMergePatch({}, null)).toThrow("Invalid JSON Patch");
  });

  it("refuses patches that nest too deeply", () => {
    let deep: Json = 1;
    for (let level = 0; level < 20_000; level++) deep = { a: deep };
    expect(() => applyMergePatch({}, deep)).toThrow("nest");
  });
});
