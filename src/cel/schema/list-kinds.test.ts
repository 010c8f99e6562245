// Sets and lists with keys: the same at once and in steps.

import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { Pace } from "../../base/steps.ts";
import { fromJson, toJson } from "../json.ts";
import type { CelList } from "../values.ts";
import { MapList, SetList } from "./list-kinds.ts";

const COUNT = 10_000;
const texts = Array.from({ length: COUNT }, (_, index) => `text ${index}`);
const objects = texts.map((name, index) => ({ name, index }));
const setOf = (items: readonly unknown[]) => new SetList(items, fromJson);
const mapOf = (items: readonly unknown[]) => new MapList(items, fromJson, ["name"]);

const equal = (a: CelList, b: CelList) => counted(a.equalsInSteps(b, new Pace(100))!);

it.each<[what: string, of: (items: readonly unknown[]) => CelList, items: readonly unknown[], other: unknown]>([
  ["sets of texts", setOf, texts, "another"],
  ["lists with keys", mapOf, objects, { name: "text 0", index: -1 }],
])("compares and merges %s in steps", (_, of, items, other) => {
  const [list, reversed] = [of(items), of([...items].reverse())];
  const { result, steps } = equal(list, reversed);
  expect([result, list.equals(reversed)]).toEqual([true, true]);
  expect(steps).toBeGreaterThanOrEqual(200 - 2);

  const changed = of([...items.slice(1), other]);
  expect([equal(list, changed).result, list.equals(changed)]).toEqual([false, false]);

  const merged = counted(list.mergeInSteps(changed)!);
  expect(toJson(merged.result)).toEqual(toJson(list.merge(changed)!));
  expect(merged.steps).toBeGreaterThan(5);
});

it("compares sets of other values one by one", () => {
  const lists = (last: number) => setOf([[1], [2], [last]]);
  expect([equal(lists(3), lists(3)).result, equal(lists(3), lists(4)).result]).toEqual([true, false]);
});
