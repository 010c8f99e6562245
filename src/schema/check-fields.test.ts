import { describe, expect, it } from "vitest";
import { type FieldError, fieldErrorText } from "../meta/field-error.ts";
import { dns1123LabelProblems } from "../meta/name-formats.ts";
import { opt, ptr, s } from "./builder.ts";
import { checkFields, FILLED, LISTED, NOT_NEGATIVE } from "./check-fields.ts";

const struct = s.struct("test.v1.Thing", () => ({
  free: opt.string(1),
  name: s.string(2, "", { must: { filled: true, form: dns1123LabelProblems } }),
  others: opt.atomic("string", 3, "", { must: FILLED }),
  count: ptr.int32(4, "", { must: NOT_NEGATIVE }),
  unit: ptr.int32(5, "", { must: { least: 0, most: 255 } }),
  mode: ptr.enumOf("Mode", ["A", "B"], 6, "", { must: LISTED }),
}));

const good = { name: "a", others: ["b"], count: 0, unit: 255, mode: "A" };

function found(change: object, only?: readonly "count"[]): string[] {
  const errors: FieldError[] = [];
  checkFields<object & { count?: number }>({ ...good, ...change }, struct, "spec", errors, only);
  return errors.map(fieldErrorText);
}

describe("the fields of a struct", () => {
  it.each([
    ["that are as they must be", {}, []],
    ["that may be left out and are", { count: undefined, unit: undefined, mode: undefined }, []],
    ["that must be filled", { name: "", others: [] }, ["spec.name: Required value", "spec.others: Required value"]],
    ["that must not be negative", { count: -1 }, ["spec.count: Invalid value: -1: must be greater than or equal to 0"]],
    ["that have a range", { unit: 256 }, ["spec.unit: Invalid value: 256: must be between 0 and 255, inclusive"]],
    ["that have a list of words", { mode: "C" }, ['spec.mode: Unsupported value: "C": supported values: "A", "B"']],
    [
      "that have such a list and are empty",
      { mode: "" },
      ['spec.mode: Unsupported value: "": supported values: "A", "B"'],
    ],
  ])("are judged: those %s", (_which, change, expected) => {
    expect(found(change)).toEqual(expected);
  });

  it("are judged by their form", () => {
    expect(found({ name: "A_b" })).toEqual([expect.stringContaining('spec.name: Invalid value: "A_b": a lowercase')]);
  });

  it("are judged in the order of their declaration, all or some", () => {
    expect(found({ mode: "C", count: -1, name: "" }).map((text) => text.split(":")[0])).toEqual([
      "spec.name",
      "spec.count",
      "spec.mode",
    ]);
    expect(found({ mode: "C", count: -1 }, ["count"])).toHaveLength(1);
  });
});
