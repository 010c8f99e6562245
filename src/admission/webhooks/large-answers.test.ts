// What webhooks answer may be large: it is read in steps, between which others have their turn.

import { expect, it } from "vitest";
import { counted } from "../../base/steps.testing.ts";
import { namesFor } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { Reinvocation } from "./reinvocation.ts";
import { decodePatch, readReview } from "./review.ts";

const names = namesFor("kubernetes");
const wide = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`key-${index}`, "value"]));
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

function read(response: Record<string, unknown>) {
  const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response: { uid: "u", ...response } };
  return counted(readReview(names, "v1", "u", true, bytes(review)));
}

it("reads a long answer in steps, and keeps as many annotations and warnings as are ever shown", () => {
  const warnings = Array.from({ length: 10_000 }, (_, index) => `warning ${index}`);
  const { result, steps } = read({ allowed: true, auditAnnotations: { "is-null": null, ...wide }, warnings });
  expect(steps).toBeGreaterThan(8);
  expect(result.auditAnnotations.size).toBe(1_000);
  expect([result.auditAnnotations.get("is-null"), result.auditAnnotations.get("key-999")]).toEqual([
    undefined,
    "value",
  ]);
  expect([result.warnings.length, result.warnings[1]]).toEqual([4_096, "warning 1"]);
});

it("reads a short answer in three steps: its text, what it is, what it says", () => {
  expect(read({ allowed: true }).steps).toBe(2);
});

it("reads a long patch in steps", () => {
  const { result, steps } = counted(decodePatch(bytes([{ op: "add", path: "/data", value: wide }])));
  expect(result).toEqual([{ op: "add", path: "/data", from: undefined, value: wide }]);
  expect(steps).toBeGreaterThan(8);
});

it("keeps a large object for the second round, and compares it with what others have made of it, in steps", () => {
  const object = { metadata: { name: "a" }, data: wide } as unknown as ApiObject;
  const reinvocation = new Reinvocation();
  // Nobody who was called wishes to see it again: no copy is kept.
  expect(counted(reinvocation.finish(object)).steps).toBe(0);
  reinvocation.remember("first");
  expect(counted(reinvocation.finish(object)).steps).toBeGreaterThan(4);
  expect(counted(reinvocation.startAgain(structuredClone(object))).steps).toBeGreaterThan(4);
  expect(reinvocation.isDue("first")).toBe(false);
  counted(reinvocation.startAgain({ ...object, data: { ...wide, more: "" } } as unknown as ApiObject));
  expect(reinvocation.isDue("first")).toBe(true);
});
