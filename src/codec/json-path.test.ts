import { describe, expect, it } from "vitest";
import { PATHS_SAMPLE as object } from "./json-path.testing.ts";
import { leadingFields, parseJsonPath, parseJsonPaths } from "./json-path.ts";

describe("paths", () => {
  it.each<[string, unknown]>([
    [".spec.n", 5],
    ["{.spec.n}", 5],
    [".spec.list[0]", "x"],
    [".spec.list[-1]", "z"],
    [".spec.list[1:]", "y"],
    [".spec.list[*]", "x"],
    [".spec.ports[1].name", "b"],
    [".spec.ports[*].port", 1],
    [".metadata.annotations['a.b/c']", "slash"],
    [".metadata.annotations.a\\.b/c", "slash"],
    ['.status.conditions[?(@.type=="Synced")].status', "True"],
    [".status.conditions[?(@.type == 'Ready')].status", "False"],
    [".spec.ports[?(@.port>1)].name", "b"],
    [".spec.ports[?(@.port!=1)].name", "b"],
    ["..port", 1],
    [".spec.absent.deeper", undefined],
    [".spec.list[9]", undefined],
    [".spec.constructor", undefined],
    ['.status.conditions[?(@.type=="None")].status', undefined],
  ])("%s leads to %j", (path, value) => {
    expect(parseJsonPath(path)?.(object)).toEqual(value);
  });

  it.each([".spec[", ".spec[abc]", ".spec.x[?(]", ".a".repeat(3000)])("%.20s is no path", (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });

  it("lead to all values where they branch", () => {
    expect(parseJsonPaths(".spec.ports[*].name")?.(object)).toEqual(["a", "b"]);
    expect(parseJsonPaths(".spec.absent")?.(object)).toEqual([]);
    expect(parseJsonPaths(".spec[")).toBeUndefined();
  });

  it.each<[string, string[]]>([
    [".spec.n", ["spec", "n"]],
    ["{.spec.n}", ["spec", "n"]],
    [".metadata.annotations['a.b/c']", ["metadata", "annotations", "a.b/c"]],
    [".metadata.annotations.a\\.b/c", ["metadata", "annotations", "a.b/c"]],
    [".spec.list[0].name", ["spec", "list"]],
    ['.status.conditions[?(@.type=="Ready")].status', ["status", "conditions"]],
    [".spec.*.name", ["spec"]],
    [".spec['a','b']", ["spec"]],
    [".spec..name", ["spec"]],
    ["..name", []],
    [".spec[", []],
    ["", []],
  ])("%s looks below %j only", (path, names) => {
    expect(leadingFields(path)).toEqual(names);
  });
});
