import { describe, expect, it } from "vitest";
import { atOnce } from "../base/steps.ts";
import type { ManagedFieldsEntry } from "../meta/object.ts";
import { listPaths } from "./list-paths.testing.ts";
import {
  capUpdateManagers,
  decodeManagedFieldsInSteps,
  encodeManagedFieldsInSteps,
  MAX_UPDATE_MANAGERS,
  type Managers,
} from "./managed-fields.ts";

const decodeManagedFields = (entries: readonly ManagedFieldsEntry[]) =>
  atOnce(decodeManagedFieldsInSteps(entries, false));
const encodeManagedFields = (managers: Managers) => atOnce(encodeManagedFieldsInSteps(managers, false));

import { pathText } from "./path-element.ts";

const entry = (manager: string, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Update",
  apiVersion: "v1",
  time: "2026-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { [`f:${manager}`]: {} },
  ...more,
});

describe("managedFields", () => {
  it("are written as they were read", () => {
    const entries = [entry("a", { operation: "Apply" }), entry("b", { subresource: "status" })];
    const written = encodeManagedFields(decodeManagedFields(entries));
    expect(written).toEqual(entries);
    expect(Object.keys(written![1]!)).toEqual([
      "manager",
      "operation",
      "apiVersion",
      "time",
      "fieldsType",
      "fieldsV1",
      "subresource",
    ]);
  });

  it("are sorted by operation, time, manager, version and sub-resource", () => {
    const early = "2025-01-01T00:00:00Z";
    const sorted = [
      entry("z", { operation: "Apply" }),
      entry("n", { time: undefined as never }),
      entry("y", { time: early }),
      entry("a"),
      entry("a", { subresource: "status" }),
      entry("a", { apiVersion: "v2" }),
      entry("b"),
    ];
    const written = encodeManagedFields(decodeManagedFields([...sorted].reverse()))!;
    expect(written.map((e) => [e.manager, e.apiVersion, e.subresource])).toEqual(
      sorted.map((e) => [e.manager, e.apiVersion, e.subresource]),
    );
  });

  it("hold one entry for an applier whatever its version, and one per version for an updater", () => {
    const managers = decodeManagedFields([
      entry("a", { operation: "Apply" }),
      entry("a", { operation: "Apply", apiVersion: "v2" }),
      entry("u"),
      entry("u", { apiVersion: "v2" }),
    ]);
    expect(managers.size).toBe(3);
  });

  it("are read once, and what was written is not read", () => {
    const firstOf = (entries: ManagedFieldsEntry[]) => [...decodeManagedFields(entries)][0]!;
    const entries = [entry("a")];
    const [id, manager] = firstOf(entries);
    expect(firstOf(entries)[1].set).toBe(manager.set);
    const written = encodeManagedFields(new Map([[id, { ...manager, encoded: undefined }]]))!;
    expect(written).toEqual(entries);
    expect(firstOf(written)[1].set).toBe(manager.set);
  });

  it("are none when nobody owns anything", () => {
    expect(encodeManagedFields(new Map())).toBeUndefined();
  });

  it.each([
    [{ operation: "Delete" }, "operation must be `Apply` or `Update`"],
    [{ apiVersion: "" }, "apiVersion must not be empty"],
    [{ fieldsType: "" }, "missing fieldsType in managed fields entry 0"],
    [{ fieldsType: "Bogus" }, 'invalid fieldsType "Bogus" in managed fields entry 0'],
    [{ fieldsV1: { x: {} } }, "key must be 2 characters long:"],
  ])("are refused with %j", (broken, message) => {
    expect(() => decodeManagedFields([entry("a", broken as never)])).toThrow(message);
  });

  it("merge the oldest updaters when there are too many", () => {
    const entries = Array.from({ length: MAX_UPDATE_MANAGERS + 2 }, (_, index) =>
      entry(`m${index}`, { time: `2026-01-01T00:00:${String(index).padStart(2, "0")}Z` }),
    );
    const capped = encodeManagedFields(
      capUpdateManagers(decodeManagedFields([...entries, entry("x", { operation: "Apply" })])),
    )!;
    const updaters = capped.filter(({ operation }) => operation === "Update");
    expect(updaters.length).toBe(MAX_UPDATE_MANAGERS);
    expect(updaters[0]).toMatchObject({ manager: "ancient-changes", time: "2026-01-01T00:00:02Z" });
    const [oldest] = decodeManagedFields([updaters[0]!]).values();
    expect(listPaths(oldest!.set).map(pathText)).toEqual([".m0", ".m1", ".m2"]);
  });
});
