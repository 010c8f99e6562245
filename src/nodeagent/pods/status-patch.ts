// The strategic merge patch between two statuses of a pod: what has changed and nothing else, so that what others write
// meanwhile stays.

import { indexBy } from "../../base/index-by.ts";
import { equalJson, type Json, type JsonObject } from "../../base/json.ts";
import { OWN_CONDITIONS } from "./pod-conditions.ts";
import type { PodStatus } from "./pod-status.ts";

/** Lists that a patch would merge by their elements; here the whole list is meant. */
const REPLACED: ReadonlySet<string> = new Set(["podIPs", "hostIPs"]);
/** Told by others: never the agent's to change. */
const FOREIGN: ReadonlySet<string> = new Set([
  "resourceClaimStatuses",
  "nominatedNodeName",
  "extendedResourceClaimStatus",
]);

/** Told by others too. */
const DISRUPTION = "DisruptionTarget";

/** Undefined when nothing has changed. */
export function statusPatch(before: PodStatus, after: PodStatus): JsonObject | undefined {
  const patch: JsonObject = {};
  const [old, wanted] = [before, after] as Record<string, Json | undefined>[];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (FOREIGN.has(key) || equalJson(old![key], wanted![key])) continue;
    if (key === "conditions") {
      const changed = changedConditions(before, after);
      if (changed.length > 0) patch[key] = changed;
    } else if (wanted![key] === undefined) patch[key] = null;
    else patch[key] = REPLACED.has(key) ? [{ $patch: "replace" }, ...(wanted![key] as Json[])] : wanted![key];
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/**
 * They are merged by type, member by member, and what one says no more has to be taken back. Those of others stay as they are: what
 * is wanted holds them as they were when it was made.
 */
function changedConditions(before: PodStatus, after: PodStatus): Json[] {
  const known = indexBy(before.conditions, ({ type }) => type);
  const changed: Json[] = [];
  for (const condition of after.conditions ?? []) {
    const old = known.get(condition.type);
    const isTold = OWN_CONDITIONS.includes(condition.type) || condition.type === DISRUPTION;
    if (!isTold || equalJson(old, condition)) continue;
    const dropped = Object.keys(old ?? {}).filter((member) => !Object.hasOwn(condition, member));
    changed.push({ ...Object.fromEntries(dropped.map((member) => [member, null])), ...condition });
  }
  const told = new Set((after.conditions ?? []).map(({ type }) => type));
  for (const { type } of before.conditions ?? [])
    if (OWN_CONDITIONS.includes(type) && !told.has(type)) changed.push({ $patch: "delete", type });
  return changed;
}
