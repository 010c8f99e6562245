import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import { settleKeys } from "../base/wide-keys.ts";
import { opt, s } from "./builder.ts";
import { orderMembers } from "./member-order.ts";

const inner = s.struct("test.v1.Inner", () => ({ a: opt.string(), b: opt.string() }));
const outer = s.struct("test.v1.Outer", () => ({
  inner: opt.of(inner, undefined),
  many: opt.list(inner, undefined),
  map: opt.map("string", undefined),
}));

describe("orderMembers", () => {
  it("follows the schema in structs and lists, and sorts maps", () => {
    const object = { inner: { b: "2", a: "1" }, many: [{ b: "2", a: "1" }], map: { z: "1", y: "2" } };
    atOnce(orderMembers(object, outer));
    expect(JSON.stringify(object)).toBe(
      '{"inner":{"a":"1","b":"2"},"many":[{"a":"1","b":"2"}],"map":{"y":"2","z":"1"}}',
    );
  });

  it("sorts a map of many keys in steps, at any depth", () => {
    const holder = s.struct("test.v1.Holder", () => ({ map: opt.map(inner, undefined) }));
    const wide = s.struct("test.v1.Wide", () => ({ maps: opt.map(holder, undefined) }));
    const values = Array.from({ length: 20_000 }, (_, index) => [`k${20_000 - index}`, { b: "2", a: "1" }]);
    const object = { maps: { y: {}, x: { map: Object.fromEntries(values) } } };
    const given = structuredClone(object);
    const steps = [...orderMembers(object, wide)].length;
    expect(steps).toBeGreaterThan(5);
    expect(object).toEqual(given);
    expect(Object.keys(object.maps)).toEqual(["x", "y"]);
    expect(Object.keys(object.maps.x.map)).toEqual(values.map(([key]) => key).sort());
    expect(JSON.stringify(object.maps.x.map["k7"])).toBe('{"a":"1","b":"2"}');
  });

  it("brings the items of a long list into order in steps", () => {
    const object = { many: Array.from({ length: 5_000 }, () => ({ b: "2", a: "1" })) };
    expect(counted(orderMembers(object, outer)).steps).toBeGreaterThan(5);
    expect(JSON.stringify(object)).toBe(JSON.stringify({ many: object.many.map(() => ({ a: "1", b: "2" })) }));
  });

  it("does not look at the keys of a wide map that nobody has added to since it was shaped", () => {
    const keys = Array.from({ length: 10_000 }, (_, index) => `k${10_000 + index}`);
    const wide = () => Object.fromEntries(keys.map((key) => [key, "v"]));
    const [made, shaped] = [wide(), wide()];
    settleKeys(shaped, keys);
    expect(counted(orderMembers({ map: made }, outer)).steps).toBeGreaterThan(5);
    expect(counted(orderMembers({ map: shaped }, outer)).steps).toBe(0);
  });

  it("leaves what is in order as it is", () => {
    const part = { a: "1", b: "2" };
    const object = { inner: part };
    atOnce(orderMembers(object, outer));
    expect(object.inner).toBe(part);
  });
});
