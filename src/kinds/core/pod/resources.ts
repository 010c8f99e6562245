// The resources of a pod: requests that follow from limits, sums over containers, and the class of service.

import { setKey } from "../../../base/json.ts";
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOfInt,
  quantitySign,
} from "../../../meta/quantity.ts";
import type { ResourceList } from "../resource-list.ts";
import type { Container, ResourceRequirements } from "./container.ts";
import type { PodSpec } from "./spec.ts";

/** A limit without a request is also the request. */
export function requestsFromLimits(resources: ResourceRequirements): void {
  const { limits, requests } = resources;
  if (!limits) return;
  if (!requests) resources.requests = { ...limits };
  else
    for (const name of Object.keys(limits)) if (!Object.hasOwn(requests, name)) setKey(requests, name, limits[name]!);
}

/** Huge pages that its containers may use together are those of the pod as a whole, where it says anything as a whole. */
export function defaultPodLimits(spec: PodSpec): void {
  const { resources } = spec;
  if (!resources) return;
  const { limits, requests } = resources;
  if (isEmpty(limits) && isEmpty(requests)) return;
  const pages: ResourceList = {};
  for (const [name, quantity] of sumLimits(spec)) {
    const isSaid = Object.hasOwn(limits ?? {}, name) || Object.hasOwn(requests ?? {}, name);
    if (isHugePages(name) && !isSaid) pages[name] = formatQuantity(quantity);
  }
  if (!isEmpty(pages)) resources.limits = { ...limits, ...pages };
}

/** Requests of the pod as a whole, where it has limits as a whole: those of its containers, else the limits. */
export function defaultPodRequests(spec: PodSpec): void {
  const resources = spec.resources;
  if (!resources?.limits || isEmpty(resources.limits)) return;
  const requests: ResourceList = { ...resources.requests };
  for (const [name, quantity] of sumRequests(spec)) {
    if (isComputeResource(name)) requests[name] ??= formatQuantity(quantity);
  }
  for (const [name, limit] of Object.entries(resources.limits)) {
    if (isComputeResource(name) || isHugePages(name)) requests[name] ??= limit;
  }
  if (!isEmpty(requests)) resources.requests = requests;
}

type QosClass = "Guaranteed" | "Burstable" | "BestEffort";

/** Guaranteed when everything has limits equal to its requests, BestEffort when nothing has any. */
export function qosClassOf(spec: PodSpec): QosClass {
  const parts = spec.resources
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map((container) => container.resources);
  const requests = new Map<string, Quantity>();
  const limits = new Map<string, Quantity>();
  let hasAllLimits = true;
  for (const part of parts) {
    add(requests, computeResources(part.requests));
    const limited = computeResources(part.limits);
    add(limits, limited);
    if (limited.size < COMPUTE.length) hasAllLimits = false;
  }
  if (requests.size === 0 && limits.size === 0) return "BestEffort";
  const isGuaranteed =
    hasAllLimits &&
    requests.size === limits.size &&
    [...requests].every(([name, quantity]) => compareQuantities(quantity, limits.get(name) ?? ZERO) === 0);
  return isGuaranteed ? "Guaranteed" : "Burstable";
}

const COMPUTE = ["cpu", "memory"];
const ZERO = quantityOfInt(0);
const isComputeResource = (name: string): boolean => COMPUTE.includes(name);
const isHugePages = (name: string): boolean => name.startsWith("hugepages-");
const isEmpty = (list: ResourceList | null | undefined): boolean => Object.keys(list ?? {}).length === 0;

/** What the containers request together; init containers run one after the other, those that stay count on. */
export const sumRequests = (spec: PodSpec): Map<string, Quantity> => sumOf(spec, "requests");

/** The same of their limits. */
export const sumLimits = (spec: PodSpec): Map<string, Quantity> => sumOf(spec, "limits");

/** What a pod takes of its node: what it asks for as a whole, else its containers together, and its overhead. */
export function podRequests(spec: PodSpec): Map<string, Quantity> {
  const requests = sumRequests(spec);
  for (const [name, quantity] of parsed(spec.resources?.requests, () => true)) requests.set(name, quantity);
  add(
    requests,
    parsed(spec.overhead, () => true),
  );
  return requests;
}

/** What it may take; undefined entries are not limited. Overhead counts where there is a limit. */
export function podLimits(spec: PodSpec): Map<string, Quantity> {
  const limits = sumLimits(spec);
  for (const [name, quantity] of parsed(spec.resources?.limits, () => true)) limits.set(name, quantity);
  add(
    limits,
    parsed(spec.overhead, (name) => limits.has(name)),
  );
  return limits;
}

function sumOf(spec: PodSpec, part: "requests" | "limits"): Map<string, Quantity> {
  const sum = new Map<string, Quantity>();
  for (const container of spec.containers ?? []) add(sum, allResources(container, part));
  const staying = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  // Others than it names have been counted when they came to stay: a long list of them is not gone through for each.
  for (const container of spec.initContainers ?? []) {
    const own = allResources(container, part);
    if (container.restartPolicy === "Always") {
      add(sum, own);
      add(staying, own);
      raise(peak, partOf(staying, own));
    } else {
      add(own, partOf(staying, own));
      raise(peak, own);
    }
  }
  raise(sum, peak);
  return sum;
}

const allResources = ({ resources }: Container, part: "requests" | "limits"): Map<string, Quantity> =>
  parsed(resources?.[part], () => true);

const computeResources = (list: ResourceList | undefined): Map<string, Quantity> =>
  parsed(list, (name, quantity) => isComputeResource(name) && quantitySign(quantity) > 0);

function parsed(
  list: ResourceList | undefined,
  keep: (name: string, quantity: Quantity) => boolean,
): Map<string, Quantity> {
  const quantities = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(list ?? {})) {
    const quantity = parseQuantity(text);
    if (quantity !== undefined && keep(name, quantity)) quantities.set(name, quantity);
  }
  return quantities;
}

function add(sum: Map<string, Quantity>, more: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of more) {
    const have = sum.get(name);
    sum.set(name, have === undefined ? quantity : addQuantities(have, quantity));
  }
}

/** As much of `all` as `names` has, too. */
function partOf(all: ReadonlyMap<string, Quantity>, names: ReadonlyMap<string, Quantity>): Map<string, Quantity> {
  const found = new Map<string, Quantity>();
  for (const name of names.keys()) {
    const quantity = all.get(name);
    if (quantity !== undefined) found.set(name, quantity);
  }
  return found;
}

function raise(peak: Map<string, Quantity>, to: ReadonlyMap<string, Quantity>): void {
  for (const [name, quantity] of to) {
    const have = peak.get(name);
    if (have === undefined || compareQuantities(have, quantity) < 0) peak.set(name, quantity);
  }
}
