// The wide cells of everything that runs pods: container names and images. Pure.

import type { Container } from "../core/pod/container.ts";
import type { Column } from "../define-kind.ts";

interface WithContainers {
  readonly spec: { readonly containers: Container[] | null };
}

export const containerNames = ({ spec }: WithContainers): string =>
  (spec.containers ?? []).map((container) => container.name).join(",");

export const containerImages = ({ spec }: WithContainers): string =>
  (spec.containers ?? []).map((container) => container.image ?? "").join(",");

/** The wide columns Containers and Images of a kind, given where its pod template is. */
export function containerColumns<T>(template: (object: T) => WithContainers): readonly [Column<T>, Column<T>] {
  return [
    { name: "Containers", type: "string", priority: 1, cell: (object) => containerNames(template(object)) },
    { name: "Images", type: "string", priority: 1, cell: (object) => containerImages(template(object)) },
  ];
}

/** What those look at, for rowFields, given where the pod specification is. */
export const containerFields = (podSpec: string): readonly string[] => [
  `${podSpec}.containers.name`,
  `${podSpec}.containers.image`,
];
