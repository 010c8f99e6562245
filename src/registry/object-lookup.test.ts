// Single objects as authentication looks them up: from the cache, decoded once per change.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiObject } from "../meta/object.ts";
import { ObjectLookup } from "./object-lookup.ts";
import type { ServedResource } from "./served-resource.ts";
import { updateObject } from "./update-object.ts";
import { TestWrites } from "./writes.testing.ts";

let writes: TestWrites;
let configMaps: ServedResource;
let projected: number;
let lookup: ObjectLookup<unknown>;

beforeEach(async () => {
  writes = new TestWrites();
  configMaps = writes.resource("configmaps");
  projected = 0;
  lookup = new ObjectLookup(configMaps.store!, (object) => {
    projected += 1;
    return object["data"];
  });
  await create("v1");
});
afterEach(() => writes.close());

const create = (value: string) => writes.create(configMaps, { metadata: { name: "a" }, data: { value } });
const change = (value: string) =>
  updateObject(writes.deps, writes.request(configMaps, { name: "a" }), {
    next: (current) => ({ ...current!, data: { value } }) as ApiObject,
  });

describe("ObjectLookup", () => {
  it("knows nothing before it is ready, but can ask the store", async () => {
    expect(lookup.get("default", "a")).toBeUndefined();
    expect(await lookup.getNewest("default", "a")).toEqual({ value: "v1" });
  });

  it("looks into an object once per change, however often it is asked", async () => {
    await lookup.ready();
    for (let asked = 0; asked < 5; asked += 1) expect(lookup.get("default", "a")).toEqual({ value: "v1" });
    expect(projected).toBe(1);
    await change("v2");
    for (let asked = 0; asked < 5; asked += 1) expect(lookup.get("default", "a")).toEqual({ value: "v2" });
    expect(projected).toBe(2);
  });

  it.each([
    ["another name", "default", "b"],
    ["another namespace", "other", "a"],
  ])("finds nothing under %s", async (_, namespace, name) => {
    await lookup.ready();
    expect(lookup.get(namespace, name)).toBeUndefined();
    expect(await lookup.getNewest(namespace, name)).toBeUndefined();
  });

  it("finds nothing where the bytes are damaged", async () => {
    await writes.engine.create(configMaps.store!.keyOf("default", "odd"), Buffer.from("{"));
    await lookup.ready();
    expect(lookup.get("default", "odd")).toBeUndefined();
  });

  it("forgets what is deleted", async () => {
    await lookup.ready();
    const key = configMaps.store!.keyOf("default", "a");
    await writes.engine.delete(key, (await writes.engine.get(key))!.revision);
    expect(lookup.get("default", "a")).toBeUndefined();
  });
});
