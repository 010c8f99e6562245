// What migrations must say, and how they may end.

import { describe, expect, it } from "vitest";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { storageVersionMigration } from "./storage-version-migration.ts";

const body = (resource: object, status: object = {}) => ({ metadata: { name: "a" }, spec: { resource }, status });
const good = { group: "g", version: "v1", resource: "things" };
const conditions = (...types: string[]) =>
  types.map((type) => ({ type, status: "True", reason: "R", lastUpdateTime: "2026-01-01T00:00:00Z" }));

describe("a migration", () => {
  it("says what it migrates", () => {
    expect(createErrors(storageVersionMigration, body(good))).toEqual([]);
    expect(createErrors(storageVersionMigration, body({}))).toEqual([
      "spec.resource.resource: Required value: resource is required",
      "spec.resource.version: Required value: version is required",
    ]);
  });

  it("migrates the same for ever", () => {
    expect(updateErrors(storageVersionMigration, body({ ...good, group: "h", version: "v2" }), body(good))).toEqual([
      'group: Invalid value: "h": field is immutable',
      'version: Invalid value: "v2": field is immutable',
    ]);
  });

  it.each([
    [{ conditions: conditions("Succeeded"), resourceVersion: "7" }, {}, []],
    [
      { resourceVersion: "x" },
      {},
      [
        'status.resourceVersion: Invalid value: "x": failed to parse resource version "x": strconv.ParseInt: parsing "x": invalid syntax',
      ],
    ],
    [{ resourceVersion: "-1" }, {}, ["status.resourceVersion: Invalid value: -1: must be greater than or equal to 0"]],
    [{}, { resourceVersion: "7" }, ['status.resourceVersion: Invalid value: "": field is immutable']],
    [
      { conditions: conditions("Succeeded", "Failed") },
      {},
      [expect.stringContaining("Both success and failed conditions cannot be true at the same time")],
    ],
    [
      { conditions: conditions("Running", "Failed") },
      {},
      [expect.stringContaining("Running condition cannot be true when failed condition is true")],
    ],
    [
      {},
      { conditions: conditions("Succeeded") },
      [expect.stringContaining("Success condition cannot be set to false once it is true")],
    ],
    [
      { conditions: [{ type: "Running", status: "Maybe" }] },
      {},
      [
        'status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
        "status.conditions[0].lastTransitionTime: Required value",
        "status.conditions[0].reason: Required value",
      ],
    ],
  ])("goes on: %j", (status, old, errors) => {
    expect(updateErrors(storageVersionMigration, body(good, status), body(good, old), "status")).toEqual(errors);
  });
});
