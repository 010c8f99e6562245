import { expect, it } from "vitest";
import { namesFor } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { formatQuantity } from "../../../meta/quantity.ts";
import { usageOf } from "./usage.ts";

it.each<[what: string, requested: object, allocated: object, usage: string | undefined]>([
  ["what it asks for", { storage: "2Gi" }, {}, "2Gi"],
  ["a part of a byte, which takes a byte", { storage: "500m" }, {}, "1"],
  ["more that it has been given already", { storage: "2Gi" }, { storage: "3Gi" }, "3Gi"],
  ["a part of a byte that it has been given", { storage: "1" }, { storage: "1500m" }, "2"],
  ["nothing where it asks for nothing", {}, { storage: "3Gi" }, undefined],
])("a claim takes of a quota: %s", (_, requests, allocatedResources, usage) => {
  const claim = { metadata: {}, spec: { resources: { requests } }, status: { allocatedResources } };
  const claims = { group: "", resource: "persistentvolumeclaims" };
  const size = usageOf(namesFor("kubernetes"), claims, claim as unknown as ApiObject, 0).get("requests.storage");
  expect(size && formatQuantity(size)).toBe(usage);
});

it.each<[what: string, requests: object[], usage: string]>([
  ["as many devices as it names", [{ exactly: devices(2) }], "2"],
  ["what all devices count as", [{ exactly: { deviceClassName: "gold", allocationMode: "All" } }], "32"],
  ["the most of alternatives", [{ firstAvailable: [1, 3].map(devices) }, { exactly: devices(1) }], "4"],
  ["more than there can be", [{ exactly: devices(2n ** 60n) }], "1152921504606846976"],
])("a claim takes of a quota for devices: %s", (_, requests, usage) => {
  const names = namesFor("kubernetes");
  const claim = { metadata: {}, spec: { devices: { requests } } } as unknown as ApiObject;
  const used = usageOf(names, { group: "resource.k8s.io", resource: "resourceclaims" }, claim, 0);
  expect(formatQuantity(used.get("gold.deviceclass.resource.k8s.io/devices")!)).toBe(usage);
});

function devices(count: number | bigint): object {
  return { deviceClassName: "gold", allocationMode: "ExactCount", count };
}
