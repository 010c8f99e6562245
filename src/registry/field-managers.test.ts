// Ownership as the write path records it. Requirements: document 1, "Field management".

import { afterAll, describe, expect, it } from "vitest";
import { FakeClock } from "../base/clock.ts";
import { asSlowWork, turnsOf } from "../base/steps.testing.ts";
import { atOnce } from "../base/steps.ts";
import type { ApiObject, ManagedFieldsEntry } from "../meta/object.ts";
import { builtIn, testCatalog } from "./catalog.testing.ts";
import { ownershipContext, recordCreate, recordUpdate, settleTimes } from "./field-managers.ts";
import type { ServedResource } from "./served-resource.ts";
import type { WriteDeps, WriteRequest } from "./write.ts";

const catalog = testCatalog();
afterAll(() => catalog.close());
const configMaps = builtIn(catalog, "v1", "configmaps");
const at = (time: string) => ({ clock: new FakeClock(Date.parse(time)) }) as unknown as WriteDeps;
const FIRST = at("2030-01-01T00:00:00Z");
const LATER = at("2030-02-02T00:00:00Z");

const by = (fieldManager: string, resource: ServedResource = configMaps, subresource = "") =>
  ({ resource, subresource, fieldManager }) as unknown as WriteRequest;

const configMap = (data: Record<string, string>, managedFields?: ManagedFieldsEntry[]) =>
  ({
    kind: "ConfigMap",
    apiVersion: "v1",
    metadata: { name: "a", ...(managedFields === undefined ? {} : { managedFields }) },
    data,
  }) as unknown as ApiObject;

const managersOf = ({ metadata }: ApiObject) =>
  (metadata.managedFields ?? []).map(({ manager, time, fieldsV1 }) => [manager, time, JSON.stringify(fieldsV1)]);

async function created(): Promise<ApiObject> {
  const object = configMap({ x: "1" });
  await recordCreate(FIRST, by("ann"), object);
  return object;
}

describe("the managers of fields", () => {
  it("own what they create", async () => {
    expect(managersOf(await created())).toEqual([["ann", "2030-01-01T00:00:00Z", '{"f:data":{".":{},"f:x":{}}}']]);
  });

  it("own what they change, beside those who own the rest", async () => {
    const live = await created();
    const object = configMap({ x: "1", y: "2" }, live.metadata.managedFields);
    await recordUpdate(LATER, by("bob"), object, live);
    expect(managersOf(object)).toEqual([
      ["ann", "2030-01-01T00:00:00Z", '{"f:data":{".":{},"f:x":{}}}'],
      ["bob", "2030-02-02T00:00:00Z", '{"f:data":{"f:y":{}}}'],
    ]);
  });

  it("are found in turns where a webhook makes much of a little in the version of one of them", async () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key-${index}`, "v"]));
    const inVersion2 = async (object: ApiObject) => ({ ...object, apiVersion: "v2", data: { ...data } });
    const version2 = { schema: configMaps.kind.schema, asks: true, convert: inVersion2 };
    const resource: ServedResource = { ...configMaps, versionAt: () => version2 };
    const live = await created();
    for (const entry of live.metadata.managedFields!) entry.apiVersion = "v2";
    const object = configMap({ x: "1", y: "2" }, live.metadata.managedFields);
    const { turns } = await asSlowWork(1, () => turnsOf(() => recordUpdate(LATER, by("bob", resource), object, live)));
    expect(managersOf(object).map(([manager]) => manager)).toEqual(["ann", "bob"]);
    expect(turns).toBeGreaterThan(20);
  });

  it("keep their times where nothing else has changed", async () => {
    const live = await created();
    const object = configMap(
      { x: "1" },
      live.metadata.managedFields?.map((entry) => ({ ...entry, time: "2031-01-01T00:00:00Z" })),
    );
    atOnce(settleTimes(object, live, true));
    expect(managersOf(object)).toEqual(managersOf(live));
  });

  it("stay what they were when the webhook that knows their version does not answer", async () => {
    const live = await created();
    const elsewhere = live.metadata.managedFields?.map((entry) => ({ ...entry, apiVersion: "example.com/v2" }));
    const before = configMap({ x: "1" }, elsewhere);
    const silent = {
      ...configMaps,
      versionAt: () => ({
        schema: configMaps.kind.schema,
        asks: true,
        convert: async () => Promise.reject(new Error("down")),
      }),
    } as unknown as ServedResource;
    const object = configMap({ x: "2" }, elsewhere);
    await recordUpdate(LATER, by("bob", silent), object, before);
    expect(managersOf(object)).toEqual(managersOf(before));
  });

  it.each([
    ["v1", "configmaps", "", []],
    ["v1", "pods", "", [["status"]]],
    ["v1", "pods", "status", builtIn(catalog, "v1", "pods").kind.subresources?.["status"]],
  ])("never own what an endpoint resets: %s %s %s", (apiVersion, name, subresource, expected) => {
    const context = ownershipContext(FIRST, by("ann", builtIn(catalog, apiVersion, name), subresource));
    const fields = Array.isArray(expected) ? expected : (expected as { resetFields: unknown } | undefined)?.resetFields;
    expect(context.resetFields).toEqual(fields);
    expect(context).toMatchObject({ apiVersion, subresource, now: "2030-01-01T00:00:00Z" });
  });
});
