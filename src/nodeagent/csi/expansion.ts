// Whether the file system of a volume is to grow on this node, and how the claim is told. Pure.

import type { PersistentVolume } from "../../kinds/core/persistent-volume.ts";
import type { PersistentVolumeClaim } from "../../kinds/core/persistent-volume-claim.ts";
import { compareQuantities, parseQuantity } from "../../meta/quantity.ts";

/** The size that the claim is to have: its volume is larger than what the claim says to have. */
export function wantedCapacity(
  { status }: Pick<PersistentVolumeClaim, "status">,
  { spec }: Pick<PersistentVolume, "spec">,
): string | undefined {
  const wanted = spec.capacity?.["storage"];
  const had = status.capacity?.["storage"];
  const [larger, smaller] = [parseQuantity(wanted ?? ""), parseQuantity(had ?? "")];
  if (larger === undefined || smaller === undefined) return undefined;
  return compareQuantities(larger, smaller) > 0 ? wanted : undefined;
}

/** What is over once the file system has grown. */
const OVER = ["Resizing", "FileSystemResizePending", "NodeResizeError", "ControllerResizeError"];

/** The status of the claim afterwards, as a merge patch. */
export function grownStatus({ status }: Pick<PersistentVolumeClaim, "status">, capacity: string): object {
  return {
    capacity: { storage: capacity },
    conditions: (status.conditions ?? []).filter(({ type }) => !OVER.includes(type)),
    allocatedResourceStatuses: { storage: null },
  };
}
