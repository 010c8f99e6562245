// Rules inside junctors: a schema that has them is not structural, wherever in the junctor they stand.

import { describe, expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import { fieldErrorText } from "../../meta/field-error.ts";
import { structuralErrors } from "../../schema/structural.ts";

const RULES = { "x-kubernetes-validations": [{ rule: "self.a == 'x'" }] };
const FORBIDDEN = "Forbidden: must be empty to be structural";
const schema = (more: object) =>
  ({
    type: "object",
    properties: { a: { type: "string" }, l: { type: "array", items: { type: "string" } } },
    ...more,
  }) as never;

describe("rules inside", () => {
  it.each([
    [{ allOf: [RULES] }, "allOf[0]"],
    [{ allOf: [{}, { allOf: [RULES] }] }, "allOf[1].allOf[0]"],
    [{ anyOf: [RULES] }, "anyOf[0]"],
    [{ oneOf: [RULES] }, "oneOf[0]"],
    [{ not: RULES }, "not"],
    [{ allOf: [{ properties: { a: RULES } }] }, "allOf[0].properties[a]"],
    [{ allOf: [{ properties: { l: { items: RULES } } }] }, "allOf[0].properties[l].items"],
  ])("%j are refused", (more, place) => {
    expect(atOnce(structuralErrors(schema(more), "s")).map(fieldErrorText)).toEqual([
      `s.${place}.x-kubernetes-validations: ${FORBIDDEN}`,
    ]);
  });

  it("no junctor are welcome", () => {
    expect(atOnce(structuralErrors(schema(RULES), "s"))).toEqual([]);
    expect(atOnce(structuralErrors(schema({ allOf: [{ "x-kubernetes-validations": [] }] }), "s"))).toEqual([]);
  });
});
