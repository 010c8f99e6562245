// Upstream's rules for core Events, so that a component in trouble does not drown the server: equal events are counted,
// similar ones combined, and too many about one object dropped.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import { joined, type ReportedEvent, referenceKey } from "./reported-event.ts";

/** Of each sort of memory: by key, oldest out first. */
const MAX_ENTRIES = 4_096;
/** From the tenth different message on within ten minutes, events with one reason are combined. */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;
/** About one object: 25 at once, then one every five minutes. */
const SPAM_LIMITS = { burst: 25, perSecond: 1 / 300 };

/** What has become of an event. */
type Correlated =
  | { readonly outcome: "dropped" }
  /** Seen for the first time, or combined for the first time. */
  | ({ readonly outcome: "new"; readonly sinceMs: number } & Combined)
  /** The event under this key has come so often now. */
  | ({ readonly outcome: "again"; readonly count: number; readonly sinceMs: number } & Combined);

interface Combined {
  /** Under which it is counted. */
  readonly key: string;
  readonly message: string;
  /** Whether it stands for several that are similar. */
  readonly isCombined: boolean;
}

interface Similar {
  readonly messages: Set<string>;
  readonly lastMs: number;
}

interface Counted {
  readonly count: number;
  readonly sinceMs: number;
}

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new BoundedCache<string, Similar>({ maxEntries: MAX_ENTRIES });
  readonly #counted = new BoundedCache<string, Counted>({ maxEntries: MAX_ENTRIES });
  readonly #buckets = new BoundedCache<string, TokenBucket>({ maxEntries: MAX_ENTRIES });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  correlate(event: ReportedEvent): Correlated {
    const combined = this.#combine(event);
    const { key } = combined;
    const nowMs = this.#clock.nowMs();
    const known = this.#counted.get(key);
    const counted = { count: (known?.count ?? 0) + 1, sinceMs: known?.sinceMs ?? nowMs };
    this.#counted.set(key, counted);
    if (!this.#bucketOf(event).tryTake()) return { outcome: "dropped" };
    if (known === undefined) return { outcome: "new", ...combined, sinceMs: nowMs };
    return { outcome: "again", ...combined, ...counted };
  }

  /** The key under which an event is counted, and its message: the common ones once there are too many of a sort. */
  #combine(event: ReportedEvent): Combined {
    const { regarding, type, reason, message } = event;
    const sort = joined([referenceKey(regarding), type, reason]);
    const nowMs = this.#clock.nowMs();
    const known = this.#similar.get(sort);
    const messages = known === undefined || nowMs - known.lastMs > SIMILAR_MS ? new Set<string>() : known.messages;
    messages.add(message);
    this.#similar.set(sort, { messages, lastMs: nowMs });
    if (messages.size < MAX_SIMILAR) return { key: joined([sort, event.action, message]), message, isCombined: false };
    // Room for the next one: the set never outgrows its limit.
    messages.delete(messages.values().next().value!);
    return { key: sort, message: `(combined from similar events): ${message}`, isCombined: true };
  }

  #bucketOf({ regarding }: ReportedEvent): TokenBucket {
    const key = referenceKey(regarding);
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    const bucket = new TokenBucket(this.#clock, SPAM_LIMITS);
    this.#buckets.set(key, bucket);
    return bucket;
  }
}
