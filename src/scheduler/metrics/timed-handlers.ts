// Handlers of an informer that are timed, by what they hear of.

import type { Clock } from "../../base/clock.ts";
import type { InformerHandlers } from "../../client/informer.ts";

export interface EventMeter {
  readonly clock: Clock;
  readonly metrics: { handled(event: string, seconds: number): void };
}

/** `subject` names what an object is, in upstream's words. */
export function timedHandlers<T>(
  subject: (object: T) => string,
  { added, updated, deleted }: InformerHandlers<T>,
  { clock, metrics }: EventMeter,
): InformerHandlers<T> {
  const timed = (event: string, run: () => void): void => {
    const startMs = clock.monotonicMs();
    run();
    metrics.handled(event, (clock.monotonicMs() - startMs) / 1000);
  };
  return {
    added: (object) => timed(`${subject(object)}Add`, () => added?.(object)),
    updated: (object, old) => timed(`${subject(object)}Update`, () => updated?.(object, old)),
    deleted: (object) => timed(`${subject(object)}Delete`, () => deleted?.(object)),
  };
}
