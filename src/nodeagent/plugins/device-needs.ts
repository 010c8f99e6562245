// What a container asks for of devices. Pure.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
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

/** The most that the pod has at one time. Containers of the start end one after the other, sidecars stay. */
export function podDeviceNeeds({ initContainers, containers }: Pod["spec"], isDevice: (resource: string) => boolean) {
  const [sidecars, needs] = [new Map<string, number>(), new Map<string, number>()];
  const add = (sums: Map<string, number>, more: ReadonlyMap<string, number>) => {
    for (const [resource, count] of more) sums.set(resource, (sums.get(resource) ?? 0) + count);
  };
  const most = new Map<string, number>();
  for (const container of initContainers ?? []) {
    const own = deviceNeeds(container, isDevice);
    if (container.restartPolicy === "Always") {
      add(sidecars, own);
      continue;
    }
    for (const [resource, count] of own)
      most.set(resource, Math.max(most.get(resource) ?? 0, (sidecars.get(resource) ?? 0) + count));
  }
  add(needs, sidecars);
  for (const container of containers ?? []) add(needs, deviceNeeds(container, isDevice));
  for (const [resource, count] of most) needs.set(resource, Math.max(needs.get(resource) ?? 0, count));
  return needs;
}

/** A container of the start that is no sidecar: what it has, others may have after it. */
export function endsBeforeOthers({ initContainers }: Pod["spec"], container: string): boolean {
  return (initContainers ?? []).some(({ name, restartPolicy }) => name === container && restartPolicy !== "Always");
}
