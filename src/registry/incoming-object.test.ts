// The first stages of a write: bytes or a draft become an object of their kind, in its place.
// Requirements: document 1, "Field validation", "Path shapes".

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../base/json.ts";
import type { ApiObject } from "../meta/object.ts";
import type { FieldValidation } from "./decode-body.ts";
import { incomingObject, placeObject, setTypeAndDefaults } from "./incoming-object.ts";
import type { ServedResource } from "./served-resource.ts";
import { isLarge } from "./write.ts";
import { failureOf, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
beforeEach(() => {
  writes = new TestWrites();
});
afterEach(() => writes.close());

const incoming = (resource: ServedResource, body: JsonObject, validation: FieldValidation, warnings: string[] = []) =>
  incomingObject(writes.deps, writes.request(resource, { warnings }), {
    bytes: Buffer.from(JSON.stringify(body)),
    mediaType: "json",
    validation,
  });

describe("a body", () => {
  it("is of the kind of its endpoint even where it does not say so, and has all defaults", async () => {
    const services = writes.resource("services");
    const object = await incoming(services, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }, "Strict");
    expect(object).toMatchObject({
      kind: "Service",
      apiVersion: "v1",
      metadata: { name: "a", namespace: "default" },
      spec: { type: "ClusterIP", sessionAffinity: "None", ports: [{ port: 80, protocol: "TCP", targetPort: 80 }] },
    });
  });

  it.each([
    ["many values in few bytes", Array.from({ length: 4_000 }, () => ({})), true],
    ["one value of as many bytes", [{ name: "a".repeat(12_000) }], false],
  ])("is taken for a large one by what it holds: %s", async (_what, containers, large) => {
    const bytes = Buffer.from(JSON.stringify({ metadata: { name: "a" }, spec: { containers } }));
    const request = writes.request(writes.resource("pods"), { bodyBytes: bytes.length });
    expect(isLarge(request, 0)).toBe(false);
    await incomingObject(writes.deps, request, { bytes, mediaType: "json", validation: "Strict" });
    expect(isLarge(request, 0)).toBe(large);
  });

  const rows: [validation: FieldValidation, code: number, warnings: number][] = [
    ["Ignore", 200, 0],
    ["Warn", 200, 1],
    ["Strict", 400, 0],
  ];
  it.each(rows)("with an unknown field under %s: %s, %s warnings", async (validation, code, count) => {
    const warnings: string[] = [];
    const body = { metadata: { name: "a" }, data: {}, extra: 1 };
    const outcome = await incoming(writes.resource("configmaps"), body, validation, warnings).then(
      (object) => [200, Object.hasOwn(object, "extra")],
      (error: { code: number }) => [error.code, false],
    );
    expect([outcome, warnings.length]).toEqual([[code, false], count]);
  });

  it.each<FieldValidation>(["Ignore", "Warn", "Strict"])("with a wrong type is 400 under %s", async (validation) => {
    const body = { metadata: { name: "a" }, data: [1] };
    expect(await failureOf(incoming(writes.resource("configmaps"), body, validation))).toMatchObject({ code: 400 });
  });
});

describe("a draft", () => {
  it("is named by its request", async () => {
    const request = writes.request(writes.resource("configmaps"), { name: "a" });
    const object = await incomingObject(writes.deps, request, {
      draft: { metadata: { name: "b", labels: { l: "v" } } },
    });
    expect(object.metadata).toEqual({ name: "a", namespace: "default", labels: { l: "v" } });
  });

  it("needs no metadata", async () => {
    const request = writes.request(writes.resource("namespaces"), { name: "a" });
    const object = await incomingObject(writes.deps, request, { draft: {} });
    expect(object).toMatchObject({ kind: "Namespace", metadata: { name: "a" } });
  });
});

describe("the namespace of an object", () => {
  const rows: [resource: string, path: string, body: string | undefined, expected: string | undefined][] = [
    ["configmaps", "a", undefined, "a"],
    ["configmaps", "a", "", "a"],
    ["configmaps", "a", "a", "a"],
    ["nodes", "", undefined, undefined],
    ["nodes", "", "a", undefined],
  ];
  it.each(rows)("of %s at %j that says %j is %j", (name, namespace, said, expected) => {
    const object: ApiObject = { metadata: said === undefined ? {} : { namespace: said } };
    placeObject({ resource: writes.resource(name), namespace }, object);
    expect(object.metadata.namespace).toBe(expected);
  });

  it("is never another than that of the path", () => {
    const at = { resource: writes.resource("configmaps"), namespace: "a" };
    expect(() => placeObject(at, { metadata: { namespace: "b" } })).toThrow(/does not match the namespace sent/);
  });
});

it("an object is complete with the type of its endpoint, whatever it said before", () => {
  const resource = writes.resource("deployments", "apps/v1");
  const template = { spec: { containers: [{ name: "c", image: "i" }] } };
  const { object } = resource.rules.shape({ kind: "X", apiVersion: "x/v1", metadata: {}, spec: { template } });
  const caller = { signal: new AbortController().signal, cancelled: false };
  setTypeAndDefaults(writes.deps, { resource, user: { name: "ann", groups: [] }, caller }, object);
  expect([object.kind, object.apiVersion]).toEqual(["Deployment", "apps/v1"]);
  expect(object["spec"]).toMatchObject({ replicas: 1, template: { spec: { restartPolicy: "Always" } } });
});
