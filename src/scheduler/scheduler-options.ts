// The flags of the scheduler, for `plinth scheduler` and `plinth up`.

import { integerFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import { durationFlag } from "../meta/flag-values.ts";

export const schedulerFlags = {
  percentageOfNodesToScore: integerFlag({
    default: 0,
    min: 0,
    max: 100,
    doc: "The search ends when so many percent of the nodes will do; 0: the fewer, the larger the cluster (50 to 5).",
  }),
  podMaxInUnschedulablePodsDurationMs: durationFlag({
    default: "5m0s",
    min: "1s",
    doc: "After so long a node is looked for again, though nothing has happened that would help.",
  }),
} as const;

export type SchedulerOptions = OptionsOf<typeof schedulerFlags>;
