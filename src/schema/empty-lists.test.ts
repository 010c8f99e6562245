import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
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
    atOnce(nullEmptyLists(object, outer));
    expect(object).toEqual({ inner: { always: null, sometimes: [] }, many: [{ always: null }, { always: ["a"] }] });
  });

  it("turns null bytes of maps into empty ones", () => {
    const secret = s.struct("test.v1.Secret", () => ({ data: opt.map("bytes", 1) }));
    const object = { data: { a: null, b: "eA==" } };
    atOnce(nullEmptyLists(object, secret));
    expect(object).toEqual({ data: { a: "", b: "eA==" } });
  });

  it("visits many members in steps", () => {
    const wide = s.struct("test.v1.Wide", () => ({ map: opt.map(inner, 1), many: opt.list(inner, 2) }));
    const map = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, { always: [] }]));
    const object = { map, many: Object.values(structuredClone(map)) };
    expect([...nullEmptyLists(object, wide)].length).toBeGreaterThanOrEqual(10);
    for (const value of [...Object.values(object.map), ...object.many]) expect(value.always).toBeNull();
  });

  it("fills in the bytes of many members in steps", () => {
    const secret = s.struct("test.v1.Secret", () => ({ data: opt.map("bytes", 1) }));
    const data = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, null]));
    const object: { data: Record<string, unknown> } = { data };
    expect([...nullEmptyLists(object, secret)].length).toBeGreaterThanOrEqual(10);
    expect(new Set(Object.values(object.data))).toEqual(new Set([""]));
  });

  it("leaves what is absent absent", () => {
    const object = {};
    atOnce(nullEmptyLists(object, outer));
    expect(object).toEqual({});
  });
});
