// The flags of the scheduler, for `plinth scheduler` and `plinth up`.

import { integerFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";

export const schedulerFlags = {
  percentageOfNodesToScore: integerFlag({
    default: 0,
    min: 0,
    max: 100,
    doc: "The search ends when so many percent of the nodes will do; 0: the fewer, the larger the cluster (50 to 5).",
  }),
} as const;

export type SchedulerOptions = OptionsOf<typeof schedulerFlags>;
