// The age of things in table cells: short, coarse, upstream's steps. Pure.

import { humanDuration } from "../../meta/human-duration.ts";
import type { ObjectMeta } from "../../meta/object.ts";
import type { CellContext, Column } from "../define-kind.ts";

/** The columns that nearly every kind has first and last. */
export const NAME_COLUMN: Column<{ metadata: ObjectMeta }> = {
  name: "Name",
  type: "string",
  format: "name",
  cell: (object) => object.metadata.name ?? "",
};

export const AGE_COLUMN: Column<{ metadata: ObjectMeta }> = {
  name: "Age",
  type: "string",
  cell: (object, context) => ageCell(object.metadata.creationTimestamp, context),
};

/** Time passed since a timestamp, `<unknown>` when there is none. */
export function ageCell(timestamp: string | null | undefined, { nowMs }: CellContext): string {
  const sinceMs = timestamp ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(sinceMs) ? "<unknown>" : humanDuration(nowMs - sinceMs);
}
