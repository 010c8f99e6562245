// What controller revisions must say and keep.

import { describe, expect, it } from "vitest";
import { createErrors, updateErrors } from "../validation.testing.ts";
import { controllerRevision } from "./controller-revision.ts";

const draft = (data: unknown, revision = 1) => ({ metadata: { name: "r" }, revision, data: data as never });

describe("ControllerRevision", () => {
  it("holds an object and counts from zero", () => {
    expect(createErrors(controllerRevision, draft({ a: 1 }))).toEqual([]);
    expect(createErrors(controllerRevision, { metadata: {}, revision: -1 })).toEqual([
      "revision: Invalid value: -1: must be greater than or equal to 0",
      "data: Required value: data is mandatory",
    ]);
    expect(createErrors(controllerRevision, draft([1]))).toEqual([
      "data: Required value: data must be a valid JSON object",
    ]);
  });

  it("never changes its data", () => {
    expect(updateErrors(controllerRevision, draft({ a: 1 }, 2), draft({ a: 1 }))).toEqual([]);
    expect(updateErrors(controllerRevision, draft({ a: 2 }), draft({ a: 1 }))).toEqual([
      'data: Invalid value: {"a":2}: field is immutable',
    ]);
  });
});
