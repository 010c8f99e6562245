// Defaults of priority levels.

import type { PriorityLevelConfiguration } from "./priority-level-configuration-schema.ts";

const SHARES = 30;
const QUEUES = 64;
const HAND_SIZE = 8;
const QUEUE_LENGTH = 50;

export function defaultPriorityLevel({ spec }: PriorityLevelConfiguration): void {
  if (spec.exempt) {
    spec.exempt.nominalConcurrencyShares ??= 0;
    spec.exempt.lendablePercent ??= 0;
  }
  if (!spec.limited) return;
  spec.limited.nominalConcurrencyShares ??= SHARES;
  spec.limited.lendablePercent ??= 0;
  const { queuing } = spec.limited.limitResponse;
  if (!queuing) return;
  queuing.queues ||= QUEUES;
  queuing.handSize ||= HAND_SIZE;
  queuing.queueLengthLimit ||= QUEUE_LENGTH;
}
