import { expect, it } from "vitest";
import type { JsonObject } from "../../base/json.ts";
import { counted } from "../../base/steps.testing.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { patchedDocument } from "./patched-document.ts";

const current = {
  kind: "K",
  apiVersion: "v1",
  metadata: { name: "a" },
  data: { z: "1", y: "2" },
  list: [{ b: 1, a: 2 }],
};
const shown = (resource: Partial<ServedResource>, patched: JsonObject, stored: object = current) =>
  counted(patchedDocument(resource as ServedResource, patched, stored as unknown as ApiObject));

it("shows what a patch has reached by name, and the rest as it stood", () => {
  const patched = { ...current, data: { z: "1", y: "2", x: 5 } };
  expect(shown({}, patched).result).toBe(
    '{"apiVersion":"v1","data":{"x":5,"y":"2","z":"1"},"kind":"K","list":[{"b":1,"a":2}],"metadata":{"name":"a"}}',
  );
  expect(shown({}, { ...current, more: 1 }).result).toContain('"data":{"z":"1","y":"2"}');
});

it("shows all of a custom resource by name", () => {
  expect(shown({ custom: true }, current).result).toContain('"list":[{"a":2,"b":1}]');
});

it("is made in steps", () => {
  const data = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`key-${index}`, "value"]));
  const stored = { ...current, data };
  for (const custom of [false, true]) {
    const { result, steps } = shown({ custom }, { ...stored, data: { ...data, "key-7": 5 } }, stored);
    expect(Object.keys(JSON.parse(result).data)).toHaveLength(40_000);
    expect(steps).toBeGreaterThan(40);
  }
});
