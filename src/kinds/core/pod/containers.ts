// All containers of a pod, of every sort, with where they stand.

import type { Container } from "./container.ts";
import type { ContainerStatus } from "./container-status.ts";
import type { EphemeralContainer } from "./ephemeral-container.ts";
import type { PodSpec } from "./spec.ts";

export interface PlacedContainer {
  readonly container: Container | EphemeralContainer;
  /** `initContainers[0]`, below the spec. */
  readonly place: string;
}

/** Init containers first, ephemeral ones last, as upstream visits them. */
export function allContainers(spec: PodSpec): PlacedContainer[] {
  const placed: PlacedContainer[] = [];
  for (const sort of ["initContainers", "containers", "ephemeralContainers"] as const) {
    (spec[sort] ?? []).forEach((container, index) => {
      placed.push({ container, place: `${sort}[${index}]` });
    });
  }
  return placed;
}

/** As the status of a pod has them. */
interface ContainerStatuses {
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
}

/** What is told of the container of that name, of whatever sort it is. */
export function statusNamed(told: ContainerStatuses, container: string): ContainerStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = told;
  const statuses = [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses];
  return statuses.find(({ name }) => name === container);
}

/** As the runtime knows the container that a status tells of: "0123" of "containerd://0123". */
export function runtimeIdOf({ containerID }: { readonly containerID?: string } = {}): string | undefined {
  return containerID?.split("://", 2)[1];
}
