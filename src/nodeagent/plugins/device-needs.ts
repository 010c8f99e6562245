// What a container asks for of devices. Pure.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import { parseQuantity, quantityToInteger } from "../../meta/quantity.ts";

/** How many of each resource that a plug-in has. Limits and requests of such resources are equal. */
export function deviceNeeds(
  { resources }: Pick<Container | EphemeralContainer, "resources">,
  isDevice: (resource: string) => boolean,
): Map<string, number> {
  const needs = new Map<string, number>();
  for (const [resource, text] of Object.entries(resources?.limits ?? {})) {
    const quantity = isDevice(resource) ? parseQuantity(String(text)) : undefined;
    const count = quantity === undefined ? 0 : Number(quantityToInteger(quantity));
    if (count > 0) needs.set(resource, count);
  }
  return needs;
}
