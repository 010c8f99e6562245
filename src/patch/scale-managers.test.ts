import { describe, expect, it } from "vitest";
import { counted } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
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
    expect(atOnce(scaleManagedFields(parent, paths))).toEqual([entry("a", replicas, { apiVersion: "autoscaling/v1" })]);
  });

  it("leave the parent as it is when nothing moved", () => {
    const scaled = atOnce(scaleManagedFields(parent, paths));
    expect(atOnce(parentManagedFields(parent, scaled, "apps/v1", paths))).toEqual(parent);
  });

  it("take the replicas from their owner in the parent", () => {
    const scaled = [
      entry("hpa", replicas, { operation: "Update", apiVersion: "autoscaling/v1", subresource: "scale" }),
    ];
    expect(atOnce(parentManagedFields(parent, scaled, "apps/v1", paths))).toEqual([
      entry("a", { "f:spec": { "f:paused": {} } }),
      parent[1],
      entry("hpa", replicas, { operation: "Update", subresource: "scale" }),
    ]);
  });

  it("are found in steps where the parent has much that is owned", () => {
    const data = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`f:k${index}`, {}]));
    const owned = [entry("a", { "f:data": data, "f:spec": { "f:replicas": {} } })];
    const scaled = counted(scaleManagedFields(owned, paths));
    expect(scaled.steps).toBeGreaterThan(5);
    expect(counted(parentManagedFields(owned, scaled.result, "apps/v1", paths))).toEqual({
      result: owned,
      steps: expect.toSatisfy((steps: number) => steps > 5),
    });
  });
});
