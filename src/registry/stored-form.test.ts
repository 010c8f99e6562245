// What a write leaves in the store and what it answers. Requirements: document 1, "Versioning", rule 2.

import { afterEach, beforeEach, expect, it } from "vitest";
import { asSlowWork } from "../base/steps.testing.ts";
import type { ApiObject } from "../meta/object.ts";
import { resourceWith } from "./catalog.testing.ts";
import type { ObjectStore } from "./object-store.ts";
import { storedFormOf } from "./stored-form.ts";
import { LARGE_BYTES } from "./write.ts";
import { failureOf, TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
const caller = { signal: new AbortController().signal, cancelled: false };
beforeEach(() => {
  writes = new TestWrites();
});
afterEach(() => writes.close());

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const configMap = (): ApiObject => ({
  kind: "ConfigMap",
  apiVersion: "v1",
  metadata: { name: "a", namespace: "default", uid: "u" },
});

it("bytes at rest have no version; the answer has that of the commit, as object and as bytes", async () => {
  const form = await storedFormOf({ resource: writes.resource("configmaps"), caller }, configMap());
  expect(textOf(form.bytes)).not.toContain("resourceVersion");
  const { object, bytes } = form.written(42, true);
  expect(object.metadata.resourceVersion).toBe("42");
  expect(JSON.parse(textOf(bytes!))).toEqual(object);
  expect(form.attachment).toMatchObject({ metadata: { name: "a" } });
});

it("a rehearsal counts the version that the client says, which is not stored", async () => {
  const form = await storedFormOf({ resource: writes.resource("configmaps"), caller }, configMap());
  expect(form.rehearsed("1".repeat(LARGE_BYTES), true).sizeBytes).toBeGreaterThan(LARGE_BYTES);
});

it("what is stored in another version is answered in the version of the request, without bytes", async () => {
  const v1 = writes.resource("horizontalpodautoscalers", "autoscaling/v1");
  const object = {
    kind: "HorizontalPodAutoscaler",
    apiVersion: "autoscaling/v1",
    metadata: { name: "a", namespace: "default", uid: "u" },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: "D", name: "d" }, targetCPUUtilizationPercentage: 80 },
    status: { currentReplicas: 0, desiredReplicas: 0 },
  } as unknown as ApiObject;
  const form = await storedFormOf({ resource: v1, caller }, object);
  expect(JSON.parse(textOf(form.bytes))).toMatchObject({ apiVersion: "autoscaling/v2", spec: { metrics: [{}] } });
  expect(form.attachment).toMatchObject({ apiVersion: "autoscaling/v2" });
  const written = form.written(42, true);
  expect(written).not.toHaveProperty("bytes");
  expect(written.object).toMatchObject({
    apiVersion: "autoscaling/v1",
    metadata: { resourceVersion: "42" },
    spec: { targetCPUUtilizationPercentage: 80 },
  });
});

it("what reading adds is answered, and watchers of this process read the bytes as all others do", async () => {
  const configMaps = writes.resource("configmaps");
  const store = { decode: () => ({ ...configMap(), added: true }) };
  const resource = resourceWith(configMaps, { store: store as unknown as ObjectStore, addsOnRead: () => true });
  const form = await storedFormOf({ resource, caller }, configMap());
  expect(form.attachment).toBeUndefined();
  expect(form.written(42, true).object).toMatchObject({ added: true, metadata: { resourceVersion: "42" } });
  expect(textOf(form.bytes)).not.toContain("added");
});

it.each(["toStored", "fromStored"] as const)("a conversion that fails does so before the commit: %s", async (which) => {
  const configMaps = writes.resource("configmaps");
  const broken = resourceWith(configMaps, {
    storedForm: false,
    [which]: async () => Promise.reject(new Error("the webhook is down")),
  });
  expect(await failureOf(storedFormOf({ resource: broken, caller }, configMap()))).toMatchObject({
    message: "the webhook is down",
  });
});

it("what a webhook makes much of is written and read in steps", async () => {
  const configMaps = writes.resource("configmaps");
  const data = Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, "v"]));
  const resource = resourceWith(configMaps, {
    storedForm: false,
    convertsByWebhook: true,
    toStored: async (object) => ({ ...object, data }),
    fromStored: async (objects) => objects,
  });
  let turns = 0;
  const goOn = () => {
    turns += 1;
  };
  const form = await asSlowWork(6, () => storedFormOf({ resource, caller: { ...caller, goOn } }, configMap()));
  expect(turns).toBeGreaterThan(2);
  expect(form.rehearsed(undefined, true).sizeBytes).toBeGreaterThan(LARGE_BYTES);
});
