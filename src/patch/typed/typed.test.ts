import { describe, expect, it, vi } from "vitest";
import type { Json } from "../../base/json.ts";
import { atOnce } from "../../base/steps.ts";
import type { Schema } from "../../schema/schema.ts";
import type { FieldSet } from "../field-set.ts";
import { listPaths } from "../list-paths.testing.ts";
import { pathText } from "../path-element.ts";
import { type Atom, atomOf, DEDUCED } from "./atom.ts";
import { compareTyped } from "./compare.ts";
import { extractFieldSet } from "./extract.ts";
import { mergeTyped } from "./merge.ts";
import { reconcileFieldSet } from "./reconcile.ts";
import { removePaths } from "./remove.ts";
import { TypedError } from "./typed-error.ts";
import { validateTyped } from "./validate.ts";

const texts = (set: FieldSet) => listPaths(set).map(pathText);

describe("values without a schema", () => {
  it("have keys as fields and lists as one unit", () => {
    expect(texts(extractFieldSet({ a: { b: 1, c: [1, { d: 2 }] }, e: {}, f: null }, DEDUCED))).toEqual([
      ".a",
      ".e",
      ".f",
      ".a.b",
      ".a.c",
    ]);
  });

  it.each<[before: Json, after: Json, added: string[], modified: string[], removed: string[]]>([
    [{ a: 1 }, { a: 1 }, [], [], []],
    [{ a: 1 }, { a: 2 }, [], [".a"], []],
    [{}, { a: { b: 1 } }, [".a", ".a.b"], [], []],
    [{ a: { b: 1 } }, {}, [], [], [".a", ".a.b"]],
    [{ a: [1] }, { a: [2] }, [], [".a"], []],
    [{ a: { b: 1 } }, { a: 1 }, [], [".a"], [".a.b"]],
    [{ a: 1 }, { a: { b: 1 } }, [".a.b"], [".a"], []],
    [{ a: null }, { a: 1 }, [], [".a"], []],
    [{ a: {} }, { a: null }, [], [".a"], []],
  ])("compare %j with %j", (before, after, added, modified, removed) => {
    const comparison = compareTyped(before, after, DEDUCED);
    expect(texts(comparison.added)).toEqual(added);
    expect(texts(comparison.modified)).toEqual(modified);
    expect(texts(comparison.removed)).toEqual(removed);
  });

  it.each<[base: Json, over: Json, merged: Json]>([
    [{ a: { b: 1 } }, { a: { c: 2 } }, { a: { b: 1, c: 2 } }],
    [{ a: [1] }, { a: [2] }, { a: [2] }],
    [{ a: { b: 1 } }, { a: 1 }, { a: 1 }],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 1 }, { a: null }, { a: null }],
    [{ a: { b: 1 } }, { a: null }, { a: { b: 1 } }],
  ])("merge %j and %j", (base, over, merged) => {
    expect(mergeTyped(base, over, DEDUCED)).toEqual(merged);
  });

  it("share what merging does not change", () => {
    const base = { a: { b: 1 }, c: { d: 1 } };
    expect(mergeTyped(base, { a: { b: 1 } }, DEDUCED)).toBe(base);
    expect((mergeTyped(base, { a: { b: 2 } }, DEDUCED) as typeof base).c).toBe(base.c);
  });

  it("lose exactly what is removed", () => {
    const value = { a: { b: 1, c: 2 }, d: 3 };
    const set = extractFieldSet({ a: { b: 1 } }, DEDUCED);
    const withoutParent = new Map([["f:a", { member: false, children: set.get("f:a")!.children }]]);
    expect(atOnce(removePaths(value, withoutParent, DEDUCED))).toEqual({ a: { c: 2 }, d: 3 });
    expect(atOnce(removePaths(value, set, DEDUCED))).toEqual({ d: 3 });
  });
});

describe("what somebody owns", () => {
  it("is gone through once under the same markers, and again under others", () => {
    const set = extractFieldSet({ a: { b: 1 } }, DEDUCED);
    const gone = vi.spyOn(set, Symbol.iterator);
    const others: Atom = { ...DEDUCED };
    for (const [atom, times] of [
      [DEDUCED, 1],
      [DEDUCED, 1],
      [others, 2],
      [others, 2],
    ] as const) {
      expect(reconcileFieldSet(set, atom)).toBe(set);
      expect(gone).toHaveBeenCalledTimes(times);
    }
  });
});

it("tells of so many mistakes, and of long paths the beginning", () => {
  const set: Schema = { type: "list", listType: "set", items: { type: "scalar", scalar: "string" } };
  const value = { ["k".repeat(100_000)]: Array(500).fill("x") };
  const findings = Array(100).fill({ path: `.${"k".repeat(255)}...`, message: 'duplicate entries for key [="x"]' });
  expect(() => validateTyped(value, atomOf({ type: "map", values: set }))).toThrow(new TypedError(findings));
});
