import { describe, expect, it } from "vitest";
import { deployment } from "../kinds/apps/deployment.ts";
import { conform, ShapeError } from "../schema/conform.ts";
import { restoreProblem } from "./restore-problem.ts";

function problemOf(value: object): string {
  try {
    conform(value, deployment.schema, { unknownFields: "drop" });
  } catch (error) {
    if (error instanceof ShapeError) return restoreProblem(error);
    throw error;
  }
  return "";
}

describe("a value of the wrong type in a strategic merge patch", () => {
  const template = (pod: object) => ({ spec: { template: { spec: pod } } });
  const rows: [string, object, string][] = [
    ["text for an integer", { spec: { replicas: "x" } }, "unrecognized type: int32"],
    ["a fraction for an integer", { spec: { replicas: 1.5 } }, "cannot convert float64 to int32"],
    ["a list for a struct", { spec: [] }, "cannot restore struct from: slice"],
    ["text for a struct", { spec: "x" }, "cannot restore struct from: string"],
    ["text for a map", { metadata: { labels: "x" } }, "cannot restore map from string"],
    ["a map for a list", template({ containers: {} }), "cannot restore slice from map"],
    ["an integer for text", { metadata: { name: 1 } }, "cannot convert int64 to string"],
    ["a fraction for text", { metadata: { name: 1.5 } }, "unrecognized type: string"],
    ["an integer that is too large for one, for a struct", { spec: 1e20 }, "cannot restore struct from: float64"],
    ["text for a boolean", { spec: { paused: "x" } }, "unrecognized type: bool"],
    [
      "text that is no quantity",
      template({ overhead: { cpu: "x" } }),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
  ];
  it.each(rows)("is told of in upstream's words: %s", (_name, value, words) => {
    expect(problemOf(value)).toBe(words);
  });
});
