// A pod that was to be disrupted and lives on: the word that it is about to go must not stay.

import type { Pod } from "../../kinds/core/pod.ts";

/** So long a pod may take to begin to end. */
const STALE_AFTER_MS = 120_000;
/** The node agent's own word: it may end a pod as late as it likes. */
const BY_NODE_AGENT = "TerminationByKubelet";

/** After how long the condition has to be taken back, 0 for now; undefined when there is none to take back. */
export function msUntilStale({ metadata, status }: Pod, nowMs: number): number | undefined {
  if (metadata.deletionTimestamp !== undefined || status.phase === "Succeeded" || status.phase === "Failed") return;
  const condition = status.conditions?.find(({ type }) => type === "DisruptionTarget");
  if (condition?.status !== "True" || condition.reason === BY_NODE_AGENT) return;
  const sinceMs = Date.parse(condition.lastTransitionTime ?? "");
  return Number.isNaN(sinceMs) ? 0 : Math.max(0, sinceMs + STALE_AFTER_MS - nowMs);
}
