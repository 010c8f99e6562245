// What is dropped of an object because its gate is off, and what stays.

import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import { opt, ptr, s } from "./builder.ts";
import type { Struct } from "./declared-types.ts";
import { GatedFields } from "./gated-fields.ts";

interface Leaf {
  old?: string;
  fresh?: string;
  inner?: Leaf;
}
const leaf: Struct<Leaf> = s.struct<Leaf>("test.v1.Leaf", "", {}, () => ({
  old: ptr.string(1, ""),
  fresh: ptr.string(2, "", { gate: "Fresh" }),
  inner: ptr.of(leaf, 3, ""),
}));
const whole = s.struct(
  "test.v1.Whole",
  "",
  {
    gated: [
      {
        gate: "Pairs",
        uses: (value: { pair?: string[] }) => value.pair?.length === 2,
        drop: (value: { pair?: string[] }) => delete value.pair,
      },
    ],
  },
  () => ({
    list: opt.atomic(leaf, 1, ""),
    map: opt.map(leaf, 2, ""),
    pair: opt.atomic("string", 3, ""),
  }),
);

const dropped = (value: object, { on = [] as string[], old = undefined as object | undefined } = {}) => {
  const object = structuredClone(value);
  atOnce(new GatedFields(whole, (gate) => on.includes(gate)).drop(object, old));
  return object;
};

describe("fields behind gates that are off", () => {
  const FRESH = { old: "a", fresh: "b" };
  it.each([
    ["in lists", { list: [FRESH] }, { list: [{ old: "a" }] }],
    ["in maps", { map: { x: FRESH } }, { map: { x: { old: "a" } } }],
    [
      "in structs that hold themselves",
      { list: [{ inner: { inner: FRESH } }] },
      { list: [{ inner: { inner: { old: "a" } } }] },
    ],
    ["of more than a field", { pair: ["a", "b"], list: [] }, { list: [] }],
    ["that are not there", { pair: ["a"] }, { pair: ["a"] }],
  ])("go: %s", (_where, value, expected) => {
    expect(dropped(value)).toEqual(expected);
  });

  const BOTH = { list: [FRESH], pair: ["a", "b"] };
  it.each([
    ["all gates are on", { on: ["Fresh", "Pairs"] }, BOTH],
    ["one gate is on", { on: ["Fresh"] }, { list: [FRESH] }],
    ["the stored object uses one", { old: { map: { x: { fresh: "" } } } }, { list: [FRESH] }],
    ["the stored object uses the other", { old: { pair: ["c", "d"] } }, { list: [{ old: "a" }], pair: ["a", "b"] }],
  ])("stay as far as %s", (_when, given, expected) => {
    expect(dropped(BOTH, given)).toEqual(expected);
  });

  it("are looked for with turns for others in long lists", () => {
    const list = Array.from({ length: 5_000 }, () => ({ ...FRESH }));
    expect([...new GatedFields(whole, () => false).drop({ list })].length).toBeGreaterThanOrEqual(20);
    expect(list.every((item) => !("fresh" in item))).toBe(true);
  });

  it("are not looked for in what a new object shares with the stored one", () => {
    const looked: PropertyKey[] = [];
    const look = (list: object, key: PropertyKey): unknown => {
      looked.push(key);
      return Reflect.get(list, key);
    };
    const shared = new Proxy([FRESH], { get: look });
    atOnce(
      new GatedFields(whole, () => false).drop({ list: shared, map: { x: { old: "a" } } }, { list: shared, map: {} }),
    );
    expect(looked).toEqual([]);
  });
});
