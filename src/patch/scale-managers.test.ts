import { describe, expect, it } from "vitest";
import type { ManagedFieldsEntry } from "../meta/object.ts";
import { parentManagedFields, scaleManagedFields } from "./scale-managers.ts";

const paths = new Map([["apps/v1", ".spec.replicas"]]);
const replicas = { "f:spec": { "f:replicas": {} } };

const entry = (manager: string, fieldsV1: object, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: "Apply",
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1: fieldsV1 as never,
  ...more,
});

const parent = [
  entry("a", { "f:spec": { "f:paused": {}, "f:replicas": {} } }),
  entry("b", { "f:spec": { "f:selector": {} } }),
];

describe("managers of a scale", () => {
  it("are those of the parent who own its replicas", () => {
    expect(scaleManagedFields(parent, paths)).toEqual([entry("a", replicas, { apiVersion: "autoscaling/v1" })]);
  });

  it("leave the parent as it is when nothing moved", () => {
    expect(parentManagedFields(parent, scaleManagedFields(parent, paths), "apps/v1", paths)).toEqual(parent);
  });

  it("take the replicas from their owner in the parent", () => {
    const scaled = [
      entry("hpa", replicas, { operation: "Update", apiVersion: "autoscaling/v1", subresource: "scale" }),
    ];
    expect(parentManagedFields(parent, scaled, "apps/v1", paths)).toEqual([
      entry("a", { "f:spec": { "f:paused": {} } }),
      parent[1],
      entry("hpa", replicas, { operation: "Update", subresource: "scale" }),
    ]);
  });
});
