// Reports as core Events: a repeated one is the same object with a higher count.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Event } from "../../kinds/core/event.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import { timeOfMs } from "../../meta/time.ts";
import { isApiError } from "../api-error.ts";
import { kinds } from "../built-in-kinds.ts";
import type { ResourceClient } from "../resource-client.ts";
import { EventCorrelator } from "./correlate.ts";
import type { EventSink, Reporter } from "./event-sink.ts";
import type { ReportedEvent } from "./reported-event.ts";

/** Names of events that may be counted on; as many as the correlator remembers. */
const MAX_NAMES = 4_096;

export class CoreEvents implements EventSink {
  readonly #client: ResourceClient;
  readonly #reporter: Reporter;
  readonly #correlator: EventCorrelator;
  readonly #names = new BoundedCache<string, string>({ maxEntries: MAX_NAMES });

  constructor(client: ResourceClient, reporter: Reporter) {
    this.#client = client;
    this.#reporter = reporter;
    this.#correlator = new EventCorrelator(client.clock);
  }

  /** Counted when it is reported; what is written then can be tried again without counting twice. */
  prepare(event: ReportedEvent, name: string): (() => Promise<void>) | undefined {
    const correlated = this.#correlator.correlate(event);
    if (correlated.outcome === "dropped") return undefined;
    const namespace = event.regarding.namespace ?? "default";
    const events = this.#client.resource(kinds.core.v1.events, namespace);
    const { key, message, sinceMs, isCombined } = correlated;
    const count = correlated.outcome === "again" ? correlated.count : 1;
    const lastTimestamp = timeOfMs(this.#client.clock.nowMs());
    const create = async () => {
      const made = this.#event(event, { namespace, name, message, count, sinceMs, lastTimestamp });
      await events.create(isCombined ? forSeveral(made) : made, { answer: "unread" });
      this.#names.set(key, name);
    };
    return async () => {
      const known = correlated.outcome === "again" ? this.#names.get(key) : undefined;
      if (known === undefined) return create();
      try {
        await events.patch(known, { strategic: { count, lastTimestamp, message } }, { answer: "unread" });
      } catch (error) {
        // Events do not live for ever.
        if (!isApiError(error, "NotFound")) throw error;
        await create();
      }
    };
  }

  async close(): Promise<void> {}

  #event(
    { regarding, related, type, reason, action }: ReportedEvent,
    parts: { namespace: string; name: string; message: string; count: number; sinceMs: number; lastTimestamp: string },
  ): Draft<Event> {
    const { namespace, name, message, count, sinceMs, lastTimestamp } = parts;
    const { controller, instance, host } = this.#reporter;
    return {
      metadata: { name, namespace },
      involvedObject: { ...regarding },
      ...(related === undefined ? {} : { related: { ...related } }),
      ...(action === undefined ? {} : { action }),
      type,
      reason,
      message,
      count,
      firstTimestamp: timeOfMs(sinceMs),
      lastTimestamp,
      source: { component: controller, ...(host === undefined ? {} : { host }) },
      reportingComponent: controller,
      reportingInstance: instance,
    };
  }
}

/** As upstream's: what stands for several says what they share, and its source. */
function forSeveral({
  related: _,
  action: __,
  reportingComponent: ___,
  reportingInstance: ____,
  ...shared
}: Draft<Event>): Draft<Event> {
  return shared;
}
