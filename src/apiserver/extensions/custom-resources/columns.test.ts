import { describe, expect, it } from "vitest";
import { PATHS_SAMPLE as object } from "../../../codec/json-path.testing.ts";
import { namesFor } from "../../../meta/names.ts";
import { columnsOf } from "./columns.ts";

describe("columns", () => {
  const context = { names: namesFor("kubernetes"), nowMs: Date.parse("2024-01-01T00:05:00Z") };
  const cell = (type: string, jsonPath: string) => {
    const column = columnsOf([{ name: "C", type, jsonPath }])[1]!;
    return typeof column.cell === "function" ? column.cell(object as never, context) : undefined;
  };

  it.each<[string, string, unknown]>([
    ["string", ".spec.n", "5"],
    ["string", ".spec.b", "false"],
    ["string", ".spec.o", '{"k":[1]}'],
    ["string", ".spec.list", '["x","y","z"]'],
    ["integer", ".spec.n", 5],
    ["integer", ".spec.f", 1],
    ["integer", ".spec.list[0]", null],
    ["number", ".spec.f", 1.5],
    ["boolean", ".spec.b", false],
    ["boolean", ".spec.n", null],
    ["date", ".metadata.creationTimestamp", "5m"],
    ["date", ".metadata.name", "<invalid>"],
    ["date", ".spec.absent", null],
  ])("a %s at %s shows %j", (type, path, shown) => {
    expect(cell(type, path)).toEqual(shown);
  });

  it("are name and age when a definition adds none", () => {
    expect(columnsOf(undefined).map(({ name, type }) => [name, type])).toEqual([
      ["Name", "string"],
      ["Age", "date"],
    ]);
  });
});
