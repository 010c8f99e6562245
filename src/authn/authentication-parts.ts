// What authentication is put together from.

import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { Metrics } from "../base/metrics.ts";
import type { SharedAnswers } from "../base/shared-answers.ts";
import type { Names } from "../meta/names.ts";
import type { Catalog } from "../registry/catalog.ts";

export interface AuthenticationParts {
  readonly names: Names;
  readonly gateEnabled: (gate: string) => boolean;
  readonly catalog: Catalog;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics;
  /** Tells servers of one cluster apart in metrics. */
  readonly serverId?: string;
  /** Where several processes serve. */
  readonly sharedAnswers?: SharedAnswers | undefined;
}
