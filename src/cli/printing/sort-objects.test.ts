import { describe, expect, it } from "vitest";
import { sortedBy } from "./sort-objects.ts";

describe("--sort-by", () => {
  it.each<[what: string, values: unknown[], sorted: unknown[]]>([
    ["numbers", [10, 9, -1], [-1, 9, 10]],
    ["amounts by their size", ["1Gi", "900Mi", "1"], ["1", "900Mi", "1Gi"]],
    ["numbers inside of texts", ["web-10", "web-9", "db-1"], ["db-1", "web-9", "web-10"]],
    ["times", ["2030-01-02T00:00:00Z", "2030-01-01T10:00:00Z"], ["2030-01-01T10:00:00Z", "2030-01-02T00:00:00Z"]],
    ["what has no value first", ["b", undefined, "a"], [undefined, "a", "b"]],
  ])("orders %s", (_what, values, sorted) => {
    const objects = values.map((value) => ({ spec: { value } }));
    const found = sortedBy(objects, "{.spec.value}", (object) => object as never);
    expect(found.map(({ spec }) => spec.value)).toEqual(sorted);
  });

  it("refuses a path that leads nowhere", () => {
    expect(() => sortedBy([{ a: 1 }], ".b", (object) => object)).toThrow("couldn't find any field");
    expect(sortedBy([], ".b", () => undefined)).toEqual([]);
  });
});
