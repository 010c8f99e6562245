// How a Job has ended.

import type { Job } from "../../kinds/batch/job.ts";
import type { Draft } from "../../kinds/define-kind.ts";

/** Undefined while it has not. */
export function finishedAs({ status }: Pick<Draft<Job>, "status">): "Complete" | "Failed" | undefined {
  for (const { type, status: is } of status?.conditions ?? []) {
    if (is === "True" && (type === "Complete" || type === "Failed")) return type;
  }
  return undefined;
}
