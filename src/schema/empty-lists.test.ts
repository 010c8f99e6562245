import { describe, expect, it } from "vitest";
import { opt, s } from "./builder.ts";
import { nullEmptyLists } from "./empty-lists.ts";

const inner = s.struct("test.v1.Inner", () => ({
  always: s.list("string", 1),
  sometimes: opt.list("string", 2),
}));
const outer = s.struct("test.v1.Outer", () => ({
  inner: opt.of(inner, 1),
  many: opt.list(inner, 2),
}));

describe("nullEmptyLists", () => {
  it("turns empty lists of fields that are always written into null, at every depth", () => {
    const object = { inner: { always: [], sometimes: [] }, many: [{ always: [] }, { always: ["a"] }] };
    nullEmptyLists(object, outer);
    expect(object).toEqual({ inner: { always: null, sometimes: [] }, many: [{ always: null }, { always: ["a"] }] });
  });

  it("turns null bytes of maps into empty ones", () => {
    const secret = s.struct("test.v1.Secret", () => ({ data: opt.map("bytes", 1) }));
    const object = { data: { a: null, b: "eA==" } };
    nullEmptyLists(object, secret);
    expect(object).toEqual({ data: { a: "", b: "eA==" } });
  });

  it("leaves what is absent absent", () => {
    const object = {};
    nullEmptyLists(object, outer);
    expect(object).toEqual({});
  });
});
