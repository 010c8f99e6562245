// What containers and pods ask for of memory that they get for themselves. Pure.

import type { Container } from "../../kinds/core/pod/container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { bytesOf } from "../containers/linux-resources.ts";
import type { MemoryNeeds } from "./memory-map.ts";

const isMemory = (resource: string): boolean => resource === "memory" || resource.startsWith("hugepages-");

export function memoryNeeds({ resources }: Pick<Container, "resources">): MemoryNeeds {
  return new Map(
    Object.entries(resources?.requests ?? {})
      .filter(([resource]) => isMemory(resource))
      .map(([resource, amount]) => [resource, bytesOf(amount)]),
  );
}

/** The most that it has at one time. Containers of the start end one after the other, sidecars stay. */
export function podMemoryNeeds({ spec }: Pod): MemoryNeeds {
  const needs = new Map<string, number>();
  const containers = (spec.containers ?? []).map(memoryNeeds);
  for (const resource of new Set(containers.flatMap((each) => [...each.keys()]))) {
    let [sidecars, most] = [0, 0];
    for (const container of spec.initContainers ?? []) {
      const bytes = memoryNeeds(container).get(resource) ?? 0;
      if (container.restartPolicy === "Always") sidecars += bytes;
      else most = Math.max(most, sidecars + bytes);
    }
    const running = containers.reduce((sum, each) => sum + (each.get(resource) ?? 0), sidecars);
    needs.set(resource, Math.max(most, running));
  }
  return needs;
}
