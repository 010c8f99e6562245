// What the table of jobs says about a job. Pure.

import { humanDuration } from "../../meta/human-duration.ts";
import type { Job } from "../batch/job/schema.ts";
import type { CellContext } from "../define-kind.ts";

export function jobStatusCell(job: Job): string {
  if (isTrue(job, "Complete")) return "Complete";
  if (isTrue(job, "Failed")) return "Failed";
  if (job.metadata.deletionTimestamp) return "Terminating";
  if (isTrue(job, "Suspended")) return "Suspended";
  if (isTrue(job, "FailureTarget")) return "FailureTarget";
  if (isTrue(job, "SuccessCriteriaMet")) return "SuccessCriteriaMet";
  return "Running";
}

export function jobCompletionsCell({ spec, status }: Job): string {
  const done = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  const parallel = spec.parallelism ?? 0;
  return parallel > 1 ? `${done}/1 of ${parallel}` : `${done}/1`;
}

export function jobDurationCell(job: Job, { nowMs }: CellContext): string {
  const { startTime, completionTime } = job.status;
  if (!startTime) return "";
  const end = completionTime ? Date.parse(completionTime) : nowMs;
  return humanDuration(end - Date.parse(startTime));
}

function isTrue({ status }: Job, type: string): boolean {
  return (status.conditions ?? []).some((condition) => condition.type === type && condition.status === "True");
}
