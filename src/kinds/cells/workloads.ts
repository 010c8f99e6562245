// The cells of everything that runs pods: container names and images, and numbers of replicas. Pure.

import type { ObjectMeta } from "../../meta/object.ts";
import type { Container } from "../core/pod/container.ts";
import type { Column } from "../define-kind.ts";
import { AGE_COLUMN, NAME_COLUMN } from "./age.ts";
import { rowFields } from "./row-fields.ts";

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

interface KeepsReplicas {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly readyReplicas?: number };
}

/** The columns of what keeps a number of equal pods running. */
export function replicaColumns<T extends KeepsReplicas>(
  template: (object: T) => WithContainers,
  selector: (object: T) => string,
): readonly Column<T>[] {
  return [
    NAME_COLUMN,
    { name: "Desired", type: "integer", cell: ({ spec }) => spec.replicas ?? 0 },
    { name: "Current", type: "integer", cell: ({ status }) => status.replicas },
    { name: "Ready", type: "integer", cell: ({ status }) => status.readyReplicas ?? 0 },
    AGE_COLUMN,
    ...containerColumns(template),
    { name: "Selector", type: "string", priority: 1, cell: selector },
  ];
}

/** What those look at, for rowFields. */
export const replicaRowFields = () =>
  rowFields(
    "spec.replicas",
    "spec.selector",
    ...containerFields("spec.template.spec"),
    "status.replicas",
    "status.readyReplicas",
  );

/** What the wide columns look at, for rowFields, given where the pod specification is. */
export const containerFields = (podSpec: string): readonly string[] => [
  `${podSpec}.containers.name`,
  `${podSpec}.containers.image`,
];
