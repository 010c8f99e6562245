// What a pod asks for and is allowed of a resource, all its containers together. Pure.

import { sumLimits, sumRequests } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { parseQuantity, type Quantity, quantityAsFloat } from "../../meta/quantity.ts";

/** In the resource's own unit; 0 where it asks for nothing. */
export function requestedOf({ spec }: Pod, resource: string): number {
  const asked = ofWholePod(spec.resources?.requests, resource) ?? sumRequests(spec).get(resource);
  return asked === undefined ? 0 : quantityAsFloat(asked);
}

/** Undefined where there is no limit. */
export function limitOf({ spec }: Pod, resource: string): Quantity | undefined {
  return ofWholePod(spec.resources?.limits, resource) ?? sumLimits(spec).get(resource);
}

function ofWholePod(list: Readonly<Record<string, string>> | undefined, resource: string): Quantity | undefined {
  const text = list !== undefined && Object.hasOwn(list, resource) ? list[resource] : undefined;
  return text === undefined ? undefined : parseQuantity(text);
}
