import { describe, expect, it } from "vitest";
import { fieldErrorText } from "../meta/field-error.ts";
import { managerName, validateManagerName } from "./manager-name.ts";

describe("the name of a manager", () => {
  it.each([
    ["given", "agent/1", "given"],
    ["", "robot/v2.0 (x) y", "robot"],
    [undefined, "Go http client", "Go http client"],
    [undefined, "a\u0007b\u00adc/1", "abc"],
    [undefined, "/1", "unknown"],
    [undefined, undefined, "unknown"],
    [undefined, "m".repeat(200), "m".repeat(128)],
    [undefined, "é".repeat(100), "é".repeat(64)],
  ])("for fieldManager %j and User-Agent %j is %j", (fieldManager, userAgent, expected) => {
    expect(managerName(fieldManager, userAgent)).toBe(expected);
  });

  it.each([
    ["ok", []],
    ["m".repeat(129), ["fieldManager: Too long: may not be more than 128 bytes"]],
    ["a\u0007", ['fieldManager: Invalid value: "a\\a": invalid character U+0007 (at position 1)']],
    ["é\u200b", ['fieldManager: Invalid value: "é\\u200b": invalid character U+200B (at position 2)']],
  ])("%j is checked", (name, expected) => {
    expect(validateManagerName(name).map(fieldErrorText)).toEqual(expected);
  });
});
