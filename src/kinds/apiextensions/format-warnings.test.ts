import { expect, it } from "vitest";
import { atOnce } from "../../base/steps.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition-schema.ts";
import { warnFormats } from "./format-warnings.ts";

const definition = (...schemas: unknown[]): CustomResourceDefinition =>
  ({ spec: { versions: schemas.map((openAPIV3Schema) => ({ schema: { openAPIV3Schema } })) } }) as never;
const text = (format: string) => ({ type: "string", format });

it.each<[string, unknown, string[]]>([
  ["a known format", text("date-time"), []],
  ["a format of numbers", { type: "integer", format: "int42" }, []],
  ["an unknown one", text("sparkling"), ['unrecognized format "sparkling"']],
  ["one twice", { type: "object", properties: { a: text("x"), b: text("x") } }, ['unrecognized format "x"']],
  [
    "ones deep inside",
    { items: { allOf: [text("a")], not: text("b") } },
    ["a", "b"].map((f) => `unrecognized format "${f}"`),
  ],
  ["one of values", { additionalProperties: text("a") }, ['unrecognized format "a"']],
])("%s is told as it should be", (_what, schema, warnings) => {
  expect(atOnce(warnFormats(definition(schema), undefined))).toEqual(warnings);
});

it("an update is told only what it brings", () => {
  expect(atOnce(warnFormats(definition(text("a"), text("b")), definition(text("a"))))).toEqual([
    'unrecognized format "b"',
  ]);
});
