// Whether an Indexed Job has succeeded before all of its indexes have. Pure.

import type { Job } from "../../kinds/batch/job.ts";
import { IndexSet } from "./index-set.ts";

/** The words for the job's condition; undefined when no rule is met. */
export function metSuccessRule({ spec }: Job, succeeded: IndexSet): string | undefined {
  if (succeeded.size === 0) return undefined;
  for (const [at, { succeededIndexes, succeededCount }] of (spec.successPolicy?.rules ?? []).entries()) {
    if (isMet(succeeded, succeededIndexes, succeededCount, spec.completions ?? 0))
      return `Matched rules at index ${at}`;
  }
  return undefined;
}

function isMet(
  succeeded: IndexSet,
  indexes: string | undefined,
  count: number | undefined,
  completions: number,
): boolean {
  if (indexes === undefined) return count !== undefined && succeeded.size >= count;
  const required = IndexSet.parse(indexes, completions);
  if (required.size === 0) return false;
  const common = required.overlap(succeeded);
  return common === required.size || (count !== undefined && common >= count);
}
