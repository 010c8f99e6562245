// When a finished Job may go. Pure. Requirements: the field spec.ttlSecondsAfterFinished, as upstream.

import type { Job } from "../../kinds/batch/job.ts";

/** Milliseconds until the Job expires, below 0 once it has; undefined when it does not: unfinished, ending, no limit. */
export function msUntilExpiry({ metadata, spec, status }: Job, nowMs: number): number | undefined {
  const { ttlSecondsAfterFinished } = spec;
  if (metadata.deletionTimestamp !== undefined || ttlSecondsAfterFinished == null) return undefined;
  const finish = status.conditions?.find(
    ({ type, status: is }) => is === "True" && (type === "Complete" || type === "Failed"),
  );
  const finishedMs = Date.parse(finish?.lastTransitionTime ?? "");
  if (Number.isNaN(finishedMs)) return undefined;
  return finishedMs + ttlSecondsAfterFinished * 1_000 - nowMs;
}
