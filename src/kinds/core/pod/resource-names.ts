// Names of resources that containers and pods ask for, and what amounts of them are good.

import { qualifiedNameProblems } from "../../../meta/name-formats.ts";
import type { Names } from "../../../meta/names.ts";
import { parseQuantity, quantitySign, quantityToInteger, roundQuantityUp } from "../../../meta/quantity.ts";

const HUGE_PAGES = "hugepages-";
const REQUESTS_PREFIX = "requests.";
const MILLI = -3;

const CONTAINER_RESOURCES = new Set(["cpu", "memory", "ephemeral-storage"]);

const COUNTED = new Set([
  "pods",
  "resourcequotas",
  "services",
  "replicationcontrollers",
  "secrets",
  "configmaps",
  "persistentvolumeclaims",
  "services.nodeports",
  "services.loadbalancers",
]);

// Everything that has a name without a domain, in quotas and elsewhere.
const STANDARD_RESOURCES = new Set([
  ...CONTAINER_RESOURCES,
  "requests.cpu",
  "requests.memory",
  "requests.storage",
  "requests.ephemeral-storage",
  "limits.cpu",
  "limits.memory",
  "limits.ephemeral-storage",
  "storage",
  ...COUNTED,
]);

export const isHugePage = (name: string): boolean => name.startsWith(HUGE_PAGES);

export const isStandardResource = (name: string): boolean =>
  STANDARD_RESOURCES.has(name) || isHugePage(name) || name.startsWith(REQUESTS_PREFIX + HUGE_PAGES);

export const isContainerResource = (name: string): boolean => CONTAINER_RESOURCES.has(name) || isHugePage(name);

export const isNativeResource = (name: string, names: Names): boolean =>
  !name.includes("/") || name.includes(`${names.ownDomain}/`);

export function isExtendedResource(name: string, names: Names): boolean {
  if (isNativeResource(name, names) || name.startsWith(REQUESTS_PREFIX)) return false;
  return qualifiedNameProblems(REQUESTS_PREFIX + name).length === 0;
}

/** More may be requested than is there. */
export const isOvercommitable = (name: string, names: Names): boolean =>
  isNativeResource(name, names) && !isHugePage(name);

/** Things that are counted and never halved. */
export const isCounted = (name: string, names: Names): boolean => COUNTED.has(name) || isExtendedResource(name, names);

/** Whether an amount has no fraction, at the precision that objects keep. */
export function isWhole(amount: string): boolean {
  // Most amounts are plain digits with a suffix above one.
  if (/^[0-9]+[kMGTPE]?i?$/.test(amount)) return true;
  const quantity = parseQuantity(amount);
  if (quantity === undefined) return true;
  const { value, scale } = roundQuantityUp(quantity, MILLI);
  return scale >= 0 || value % 10n ** BigInt(-scale) === 0n;
}

/** Whether an amount of huge pages is a multiple of the page that its name says. */
export function isHugePageMultiple(name: string, amount: string): boolean {
  const size = parseQuantity(name.slice(HUGE_PAGES.length));
  const quantity = parseQuantity(amount);
  if (size === undefined || quantity === undefined || quantitySign(size) <= 0) return false;
  if (!isWhole(name.slice(HUGE_PAGES.length))) return false;
  return quantityToInteger(quantity) % quantityToInteger(size) === 0n;
}
