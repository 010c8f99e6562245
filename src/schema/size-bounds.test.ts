import { describe, expect, it } from "vitest";
import type { Props } from "./crd-props.ts";
import { schemaOfProps } from "./from-crd.ts";
import { MAX_REQUEST_SIZE_BYTES, maxSizeOf } from "./size-bounds.ts";

const text: Props = { type: "string" };
const ALL = MAX_REQUEST_SIZE_BYTES - 2;

describe("bounds of sizes", () => {
  const ROWS: [props: Props, max: number | undefined][] = [
    [text, ALL],
    [{ type: "string", maxLength: 10 }, 10],
    [{ type: "string", enum: ["a", "abc"] }, 3],
    [{ type: "string", format: "date-time", maxLength: 1000 }, 21],
    [{ type: "string", format: "duration" }, 32],
    [{ type: "integer" }, undefined],
    [{ "x-kubernetes-int-or-string": true }, ALL],
    [{ type: "array", items: text, maxItems: 5 }, 5],
    [{ type: "array", items: text }, Math.floor(ALL / 3)],
    [{ type: "array", items: { type: "boolean" } }, Math.floor(ALL / 5)],
    [
      {
        type: "array",
        items: {
          type: "object",
          required: ["ab", "d"],
          properties: { ab: text, c: text, d: { ...text, default: "" } },
        },
      },
      Math.floor(ALL / 11),
    ],
    [{ type: "object", additionalProperties: { type: "integer" } }, Math.floor(ALL / 7)],
    [{ type: "object", additionalProperties: text, maxProperties: 2 }, 2],
    [{ type: "object", properties: { a: text } }, undefined],
  ];
  it.each(ROWS)("%j has at most %s", (props, max) => {
    expect(maxSizeOf(schemaOfProps(props))).toBe(max);
  });
});
