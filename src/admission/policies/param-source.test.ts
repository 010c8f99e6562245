// Very many parameters of one binding. What policies do with parameters: policies.test.ts.

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { asSlowWork, turnsOf } from "../../base/steps.testing.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { WaitingFor } from "../../registry/admission.ts";
import { builtIn, testCatalog } from "../../registry/catalog.testing.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { encodeStored } from "../../registry/object-bytes.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { ParamSource } from "./param-source.ts";
import type { ParamRef } from "./policy-set.ts";

const COUNT = 60;
/** So that few objects are many comparisons. */
const WORDS = Array.from({ length: 1_000 }, (_, index) => ({
  key: "kind",
  operator: "NotIn" as const,
  values: [`w${index}`],
}));

let catalog: Catalog;
let served: ServedResource;
let source: ParamSource;

beforeEach(async () => {
  catalog = testCatalog();
  served = builtIn(catalog, "v1", "configmaps");
  source = new ParamSource(catalog);
  const store = served.store!;
  for (let index = 0; index < COUNT; index += 1) {
    const metadata = { name: `p${index}`, namespace: "n", uid: `u${index}`, labels: { kind: "limit" } };
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata } as unknown as ApiObject;
    await store.create(store.keyOf("n", `p${index}`), object, encodeStored(object));
  }
});
afterEach(() => {
  source.close();
  catalog.close();
});

const PODS = { group: "", version: "v1", resource: "pods" };
const collect = (matchExpressions: typeof WORDS, caller?: WaitingFor) =>
  source.collect(
    { apiVersion: "v1", kind: "ConfigMap" },
    { selector: { matchExpressions } as ParamRef["selector"] & object },
    { resource: PODS, namespace: "n", name: "p", ...(caller === undefined ? {} : { caller }) },
  );

it("chooses among them while others have their turn", async () => {
  await collect([]);
  const { result, turns } = await turnsOf(() => asSlowWork(6, () => collect(WORDS)));
  expect(result).toHaveLength(COUNT);
  expect(turns).toBeGreaterThan(5);
});

it("has them converted for the one who waits", async () => {
  const caller = { signal: AbortSignal.timeout(60_000) };
  const fromStored = vi.spyOn(served, "fromStored");
  expect(await collect([], caller)).toHaveLength(COUNT);
  expect(fromStored.mock.calls.map(([objects, waiting]) => [objects.length, waiting])).toEqual([[COUNT, caller]]);
});
