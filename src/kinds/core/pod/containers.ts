// All containers of a pod, of every sort, with where they stand.

import type { Container } from "./container.ts";
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
