import { describe, expect, it } from "vitest";
import { namesFor } from "../meta/names.ts";
import type { ApiObject } from "../meta/object.ts";
import { StatusError } from "../meta/status-error.ts";
import { toPartialObjectMetadataList } from "./partial-object-metadata.ts";
import { parseIncludeObject, type TableColumn, toTable } from "./table.ts";

const names = namesFor("kubernetes");
const object: ApiObject = {
  kind: "IngressClass",
  apiVersion: "networking.k8s.io/v1",
  metadata: { name: "a", creationTimestamp: "2025-01-01T00:00:00Z" },
  spec: { controller: "example.com/c" },
};
const base = { names, nowMs: 0, metadata: { resourceVersion: "7" } };

describe("a Table", () => {
  it("has two columns where the kind has none", () => {
    const table = toTable(undefined, [object, { metadata: { name: "b" } }], base);
    expect(table).toEqual({
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "7" },
      columnDefinitions: [
        { name: "Name", type: "string", format: "name", description: expect.any(String), priority: 0 },
        { name: "Created At", type: "date", format: "", description: expect.any(String), priority: 0 },
      ],
      rows: [
        {
          cells: ["a", "2025-01-01T00:00:00Z"],
          object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata },
        },
        {
          cells: ["b", "0001-01-01T00:00:00Z"],
          object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: { name: "b" } },
        },
      ],
    });
  });

  it("fills cells from paths and functions, null where there is nothing", () => {
    const columns: TableColumn[] = [
      { name: "Controller", type: "string", cell: ".spec.controller", priority: 1 },
      { name: "Missing", type: "string", cell: ".spec.parameters.name" },
      { name: "Hostile", type: "string", cell: ".constructor.name" },
      { name: "Age", type: "string", cell: (_object, context) => `${context.nowMs}s` },
    ];
    const table = toTable(columns, [object], base);
    expect(table.rows[0]?.cells).toEqual(["example.com/c", null, null, "0s"]);
    expect(table.columnDefinitions?.map((column) => column.priority)).toEqual([1, 0, 0, 0]);
  });

  it.each([
    ["None", null],
    ["Metadata", { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: object.metadata }],
    ["Object", object],
  ] as const)("carries with includeObject=%s the object so", (includeObject, expected) => {
    const table = toTable(undefined, [object], { ...base, includeObject, version: "v1beta1" });
    expect([table.apiVersion, table.rows[0]?.object]).toEqual(["meta.k8s.io/v1beta1", expected]);
  });

  it("leaves out headers and carries conditions on demand", () => {
    const condition = { type: "Completed", status: "True" };
    const table = toTable(undefined, [object], { ...base, headers: false, rowConditions: () => [condition] });
    expect([table.columnDefinitions, table.rows[0]?.conditions]).toEqual([null, [condition]]);
  });

  it("speaks the other dialect", () => {
    expect(toTable(undefined, [], { ...base, names: namesFor("platform") }).apiVersion).toBe("meta.platform.io/v1");
  });

  it("refuses an unknown includeObject", () => {
    expect([parseIncludeObject(undefined), parseIncludeObject("None")]).toEqual(["Metadata", "None"]);
    expect(() => parseIncludeObject("X")).toThrow(
      new StatusError(
        400,
        "BadRequest",
        "Unable to convert to Table as requested: includeObject: Invalid value: \"X\": must be 'Metadata', 'Object', 'None', or empty",
      ),
    );
  });
});

describe("PartialObjectMetadataList", () => {
  it("reduces every item", () => {
    expect(toPartialObjectMetadataList([object], { resourceVersion: "7" }, names)).toEqual({
      kind: "PartialObjectMetadataList",
      apiVersion: "meta.k8s.io/v1",
      metadata: { resourceVersion: "7" },
      items: [{ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object.metadata }],
    });
  });
});
