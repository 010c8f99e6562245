// What an object uses up of a quota, by the names that quotas limit. Pure.

import type { Names } from "../../../meta/names.ts";
import type { ApiObject } from "../../../meta/object.ts";
import {
  compareQuantities,
  parseQuantity,
  type Quantity,
  quantityOfInt,
  roundQuantityUp,
} from "../../../meta/quantity.ts";
import type { ResourceClaim } from "../../resource/resource-claim.ts";
import type { ExactDeviceRequest } from "../../resource/resource-claim-spec.ts";
import type { PersistentVolumeClaim } from "../persistent-volume-claim.ts";
import { podLimits, podRequests } from "../pod/amounts.ts";
import { asHeld } from "../pod/held-resources.ts";
import type { Pod } from "../pod.ts";
import type { Service } from "../service.ts";
import { readAmounts } from "./amounts.ts";

/** A resource whose objects are counted. */
export interface Counted {
  readonly group: string;
  readonly resource: string;
}

const ONE = quantityOfInt(1);
/** Resources that may also be counted under their plain name. */
const PLAIN_COUNTS: ReadonlySet<string> = new Set([
  "configmaps",
  "persistentvolumeclaims",
  "pods",
  "replicationcontrollers",
  "resourcequotas",
  "secrets",
  "services",
]);

export function countName({ group, resource }: Counted): string {
  return group === "" ? `count/${resource}` : `count/${resource}.${group}`;
}

/** Whether a quota that limits `name` is concerned with objects of the resource. */
export function limitsResource(names: Names, name: string, counted: Counted): boolean {
  if (name === countName(counted)) return true;
  if (isDeviceClaim(names, counted)) return name.endsWith(deviceSuffix(names));
  if (counted.group !== "") return false;
  if (PLAIN_COUNTS.has(counted.resource) && name === counted.resource) return true;
  switch (counted.resource) {
    case "pods":
      return POD_NAMES.has(name) || /^(?:requests\.|limits\.)?hugepages-/.test(name) || isExtendedRequest(name);
    case "services":
      return name === "services.nodeports" || name === "services.loadbalancers";
    case "persistentvolumeclaims":
      return name === "requests.storage" || name.includes(classInfix(names));
    default:
      return false;
  }
}

/** The resources whose objects have to be counted for a quota that limits these names, each once. */
export function resourcesLimitedBy(names: Names, limited: Iterable<string>): Counted[] {
  const found = new Map<string, Counted>();
  const add = (counted: Counted): void => void found.set(countName(counted), counted);
  for (const name of limited) {
    if (name.startsWith(COUNT)) {
      const [, resource = "", group = ""] = /^([^.]*)\.?(.*)$/.exec(name.slice(COUNT.length)) ?? [];
      add({ group, resource });
    }
    if (name.endsWith(deviceSuffix(names))) add({ group: names.group("resource"), resource: "resourceclaims" });
    for (const resource of PLAIN_COUNTS) {
      if (limitsResource(names, name, { group: "", resource })) add({ group: "", resource });
    }
  }
  return [...found.values()];
}

const COUNT = "count/";

const POD_NAMES: ReadonlySet<string> = new Set(
  ["cpu", "memory", "ephemeral-storage"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
);

/** `requests.example.com/gpu`. */
const isExtendedRequest = (name: string): boolean => name.startsWith("requests.") && name.includes("/");

const classInfix = (names: Names): string => `.storageclass.${names.group("storage")}/`;

export function usageOf(names: Names, counted: Counted, object: ApiObject, nowMs: number): Map<string, Quantity> {
  const usage = new Map<string, Quantity>([[countName(counted), ONE]]);
  if (isDeviceClaim(names, counted)) return addDevices(names, object as unknown as ResourceClaim, usage);
  if (counted.group !== "") return usage;
  if (counted.resource === "pods") {
    const pod = object as unknown as Pod;
    return hasEnded(pod, nowMs) ? usage : podUsage(pod, usage);
  }
  if (PLAIN_COUNTS.has(counted.resource)) usage.set(counted.resource, ONE);
  if (counted.resource === "services") addService(object as unknown as Service, usage);
  if (counted.resource === "persistentvolumeclaims") addClaim(names, object as unknown as PersistentVolumeClaim, usage);
  return usage;
}

const isDeviceClaim = (names: Names, { group, resource }: Counted): boolean =>
  resource === "resourceclaims" && group === names.group("resource");

/** `gold.deviceclass.resource…/devices`: devices of one class. */
const deviceSuffix = (names: Names): string => `.deviceclass.${names.group("resource")}/devices`;

/** The most that an allocation may give: what a request for all devices is counted as. */
const MAX_ALLOCATED = 32;

/** Of alternatives the worst case counts, class by class. Administrators' access counts too. */
function addDevices(names: Names, { spec }: ResourceClaim, usage: Map<string, Quantity>): Map<string, Quantity> {
  const devices = new Map<string, number>();
  for (const request of spec.devices.requests ?? []) {
    const { exactly, firstAvailable = [] } = request;
    // In older versions the request itself says what is wanted.
    const wanted = exactly ?? (request as Partial<ExactDeviceRequest>);
    const alternatives: Partial<ExactDeviceRequest>[] = firstAvailable.length > 0 ? firstAvailable : [wanted];
    const most = new Map<string, number>();
    for (const { deviceClassName, allocationMode, count } of alternatives) {
      if (deviceClassName === undefined) continue;
      const asked = allocationMode === "All" ? MAX_ALLOCATED : allocationMode === "ExactCount" ? Number(count ?? 0) : 0;
      most.set(deviceClassName, Math.max(most.get(deviceClassName) ?? 0, asked));
    }
    for (const [name, asked] of most) devices.set(name, (devices.get(name) ?? 0) + asked);
  }
  for (const [name, total] of devices) usage.set(`${name}${deviceSuffix(names)}`, quantityOfInt(total));
  return usage;
}

/** Failed or succeeded, or beyond the time it was given to end. */
function hasEnded({ status, metadata }: Pod, nowMs: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return nowMs > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podUsage(pod: Pod, usage: Map<string, Quantity>): Map<string, Quantity> {
  usage.set("pods", ONE);
  const held = asHeld(pod);
  for (const [name, quantity] of readAmounts(podRequests(held))) {
    usage.set(`requests.${name}`, quantity);
    if (!name.includes("/")) usage.set(name, quantity);
  }
  for (const [name, quantity] of readAmounts(podLimits(held))) usage.set(`limits.${name}`, quantity);
  return usage;
}

function addService({ spec }: Service, usage: Map<string, Quantity>): void {
  const ports = (spec.ports ?? []).length;
  const balanced = spec.type === "LoadBalancer";
  const withoutNodePorts = balanced && spec.allocateLoadBalancerNodePorts === false;
  const nodePorts = withoutNodePorts ? (spec.ports ?? []).filter(({ nodePort }) => nodePort).length : ports;
  usage.set("services.loadbalancers", quantityOfInt(balanced ? 1 : 0));
  usage.set("services.nodeports", quantityOfInt(balanced || spec.type === "NodePort" ? nodePorts : 0));
}

function addClaim(names: Names, { metadata, spec, status }: PersistentVolumeClaim, usage: Map<string, Quantity>): void {
  const className = metadata.annotations?.[names.betaStorageClassAnnotation] ?? spec.storageClassName ?? "";
  const requested = parseQuantity(spec.resources?.requests?.["storage"] ?? "");
  const allocated = parseQuantity(status?.allocatedResources?.["storage"] ?? "");
  const grown = requested !== undefined && allocated !== undefined && compareQuantities(allocated, requested) > 0;
  const asked = grown ? allocated : requested;
  // A part of a byte takes a byte.
  const size = asked && roundQuantityUp(asked, 0);
  if (size !== undefined) usage.set("requests.storage", size);
  if (className === "") return;
  usage.set(`${className}${classInfix(names)}persistentvolumeclaims`, ONE);
  if (size !== undefined) usage.set(`${className}${classInfix(names)}requests.storage`, size);
}

/** Which containers do not say what a quota needs to know of them: `cpu for: a,b; memory for: a`. */
export function missingOfPod({ spec }: Pod, limited: ReadonlySet<string>): string | undefined {
  const required = [...limited].filter((name) => POD_NAMES.has(name) && !name.includes("ephemeral-storage")).sort();
  const containers = [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  const wholePod = spec.resources;
  const missing = required.flatMap((name) => {
    const [which, resource] = name.startsWith("limits.")
      ? (["limits", name.slice(7)] as const)
      : (["requests", name.replace(/^requests\./, "")] as const);
    if (wholePod?.[which] !== undefined && Object.hasOwn(wholePod[which], resource)) return [];
    const silent = containers.filter(({ resources }) => !Object.hasOwn(resources?.[which] ?? {}, resource));
    return silent.length === 0
      ? []
      : [
          `${name} for: ${silent
            .map((one) => one.name)
            .sort()
            .join(",")}`,
        ];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}
