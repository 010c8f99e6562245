// Selectors as requirements for authorizers: what cannot be read is said, and the rest stays good.

import { describe, expect, it } from "vitest";
import {
  readFieldRequirements,
  readFieldSelector,
  readLabelRequirements,
  readLabelSelector,
} from "./read-selectors.ts";

describe("selectors for authorizers", () => {
  it.each([
    ["", []],
    ["a=b", [{ key: "a", operator: "In", values: ["b"] }]],
    [
      "a!=b,c==d",
      [
        { key: "a", operator: "NotIn", values: ["b"] },
        { key: "c", operator: "In", values: ["d"] },
      ],
    ],
  ])("of fields: %s", (text, requirements) => {
    expect(readFieldSelector(text)).toEqual({ requirements });
  });

  it.each([
    ["a=b", { key: "a", operator: "In", values: ["b"] }],
    ["a in (b,c)", { key: "a", operator: "In", values: ["b", "c"] }],
    ["a notin (b)", { key: "a", operator: "NotIn", values: ["b"] }],
    ["a", { key: "a", operator: "Exists", values: [] }],
    ["!a", { key: "a", operator: "DoesNotExist", values: [] }],
  ])("of labels: %s", (text, requirement) => {
    expect(readLabelSelector(text)).toEqual({ requirements: [requirement] });
  });

  it("that authorizers cannot judge are left out, and said", () => {
    const { requirements, error } = readLabelSelector("a>1,b=c");
    expect(requirements).toEqual([{ key: "b", operator: "In", values: ["c"] }]);
    expect(error).toContain("is not a valid label selector operator");
  });

  it.each([readFieldSelector, readLabelSelector])("that are none demand nothing", (read) => {
    expect(read("a=b=c,((")).toEqual({ requirements: [], error: expect.any(String) });
  });

  it("of labels, as a review lists them, those of later releases apart", () => {
    expect(
      readLabelRequirements([
        { key: "a", operator: "In", values: ["b", "e"] },
        { key: "c", operator: "Exists", values: null },
        { key: "d", operator: "Gt", values: ["1"] },
      ]),
    ).toEqual({
      requirements: [
        { key: "a", operator: "In", values: ["b", "e"] },
        { key: "c", operator: "Exists", values: [] },
      ],
      error: '"Gt" is not a valid label selector operator',
    });
  });

  it("of fields, as a review lists them, where a query could say them", () => {
    expect(
      readFieldRequirements([
        { key: "a", operator: "In", values: ["b"] },
        { key: "c", operator: "NotIn", values: ["d"] },
        { key: "e", operator: "In", values: ["f", "g"] },
        { key: "h", operator: "Exists", values: [] },
        { key: "i", operator: "Gt", values: ["1"] },
      ]),
    ).toEqual({
      requirements: [
        { key: "a", operator: "In", values: ["b"] },
        { key: "c", operator: "NotIn", values: ["d"] },
      ],
      error: expect.stringMatching(/multiple values, .*Exists, "Gt" is not/),
    });
  });
});
