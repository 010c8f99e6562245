import { expect, it } from "vitest";
import { definedOnly } from "./defined-only.ts";

it("leaves defaults where options are undefined, and nowhere else", () => {
  const options = { a: undefined, b: null, c: 0, d: "" };
  expect({ a: 1, b: 2, c: 3, d: 4, e: 5, ...definedOnly(options) }).toEqual({ a: 1, b: null, c: 0, d: "", e: 5 });
});
