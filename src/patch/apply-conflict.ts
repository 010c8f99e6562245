// An apply that would change what others own. Returned, never thrown; the registry makes one 409 of a list of them.
// Requirements: document 1, "Server-side apply rules", rule 2.

import { goQuote } from "../base/go-quote.ts";
import { fittingCauses, StatusError } from "../meta/status-error.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";
import { type Manager, managerId } from "./managed-fields.ts";
import { type FieldPath, pathText } from "./path-element.ts";

/** One field that another manager owns with another value. */
export interface ApplyConflict {
  readonly manager: Manager;
  readonly path: FieldPath;
}

/** 409 with one cause per field, of as many as an answer can hold. */
export function applyConflictError(conflicts: readonly ApplyConflict[]): StatusError {
  const causes = fittingCauses(conflicts, (conflict) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeManager(conflict.manager)}`,
    field: shownPath(conflict),
  }));
  return new StatusError(409, "Conflict", conflictMessage(conflicts, causes.length), { causes });
}

function conflictMessage(conflicts: readonly ApplyConflict[], shown: number): string {
  if (conflicts.length === 1) {
    const [conflict] = conflicts as [ApplyConflict];
    return `Apply failed with 1 conflict: conflict with ${describeManager(conflict.manager)}: ${shownPath(conflict)}`;
  }
  const byManager = new Map<string, ApplyConflict[]>();
  for (const conflict of conflicts.slice(0, shown)) {
    const id = managerId(conflict.manager);
    const others = byManager.get(id);
    if (others === undefined) byManager.set(id, [conflict]);
    else others.push(conflict);
  }
  const lines = [...byManager.keys()].sort(compareByBytes).flatMap((id) => {
    const found = byManager.get(id)!;
    return [
      `conflicts with ${describeManager(found[0]!.manager)}:`,
      ...found.map((conflict) => `- ${shownPath(conflict)}`),
    ];
  });
  if (shown < conflicts.length) lines.push(`and ${conflicts.length - shown} more`);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

const shownPath = ({ path }: ApplyConflict): string => pathText(path);

function describeManager({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === "" ? goQuote(name) : `${goQuote(name)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}
