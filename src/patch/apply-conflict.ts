// An apply that would change what others own. Returned, never thrown; the registry makes one 409 of a list of them.
// Requirements: document 1, "Server-side apply rules", rule 2.

import { goQuote } from "../base/go-quote.ts";
import type { StatusCause } from "../meta/status-error.ts";
import { StatusError } from "../meta/status-error.ts";
import { compareByBytes } from "../schema/sorted-keys.ts";
import { type Manager, managerId } from "./managed-fields.ts";
import { type FieldPath, pathText } from "./path-element.ts";

/** One field that another manager owns with another value. */
export interface ApplyConflict {
  readonly manager: Manager;
  readonly path: FieldPath;
}

/** 409 with one cause per field. */
export function applyConflictError(conflicts: readonly ApplyConflict[]): StatusError {
  const causes: StatusCause[] = conflicts.map((conflict) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${describeManager(conflict.manager)}`,
    field: pathText(conflict.path),
  }));
  return new StatusError(409, "Conflict", conflictMessage(conflicts), { causes });
}

function conflictMessage(conflicts: readonly ApplyConflict[]): string {
  if (conflicts.length === 1) {
    const [{ manager, path }] = conflicts as [ApplyConflict];
    return `Apply failed with 1 conflict: conflict with ${describeManager(manager)}: ${pathText(path)}`;
  }
  const byManager = new Map<string, ApplyConflict[]>();
  for (const conflict of conflicts) {
    const id = managerId(conflict.manager);
    const others = byManager.get(id);
    if (others === undefined) byManager.set(id, [conflict]);
    else others.push(conflict);
  }
  const lines = [...byManager.keys()].sort(compareByBytes).flatMap((id) => {
    const found = byManager.get(id)!;
    return [`conflicts with ${describeManager(found[0]!.manager)}:`, ...found.map(({ path }) => `- ${pathText(path)}`)];
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function describeManager({ name, operation, apiVersion, subresource }: Manager): string {
  const who = subresource === "" ? goQuote(name) : `${goQuote(name)} with subresource ${goQuote(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}
