// Audit events in batches to another server.

import { BackgroundLoop } from "../base/background-loop.ts";
import type { Clock } from "../base/clock.ts";
import { TokenBucket } from "../base/token-bucket.ts";
import type { AuditSink, RecordedEvent, SinkMode } from "./audit-sink.ts";

export interface WebhookSinkOptions {
  readonly mode: SinkMode;
  readonly clock: Clock;
  readonly apiVersion: string;
  readonly initialBackoffMs: number;
  readonly batches: Batches;
  /** Fails when the receiver cannot be reached; resolves to the HTTP status otherwise. */
  readonly post: (body: Uint8Array) => Promise<number>;
  readonly onError: (error: Error, lostEvents: number) => void;
  readonly close: () => void;
}

interface Batches {
  readonly maxEvents: number;
  readonly maxBytes: number;
  readonly maxWaitMs: number;
  /** Events that come while so many wait are lost. */
  readonly maxWaitingEvents: number;
  readonly throttle: { readonly perSecond: number; readonly burst: number } | undefined;
}

/** Upstream's numbers. */
const MAX_ATTEMPTS = 5;
const BACKOFF_FACTOR = 1.5;
/** Our own: to put a body of so many together and encrypt it takes some ten milliseconds. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Our own, too: events may have megabytes each, and thousands of them wait for a receiver that is down. */
const MAX_WAITING_CHARS = 256 * 1024 * 1024;

export class WebhookSink implements AuditSink {
  readonly name = "webhook";
  readonly strict: boolean;
  readonly #options: WebhookSinkOptions;
  readonly #ended = new AbortController();
  /** One batch at a time: a slow receiver makes events wait, not requests pile up. */
  readonly #batches: BackgroundLoop;
  readonly #throttle: TokenBucket | undefined;
  #waiting: string[] = [];
  #waitingChars = 0;

  constructor(options: WebhookSinkOptions) {
    this.#options = options;
    this.strict = options.mode === "blocking-strict";
    const { throttle } = options.batches;
    this.#throttle = throttle && new TokenBucket(options.clock, throttle);
    this.#batches = new BackgroundLoop({
      clock: options.clock,
      reconcile: async () => {
        await this.#sendAll();
        return "done";
      },
      onError: (error) => options.onError(error as Error, 0),
    });
  }

  record({ text }: Pick<RecordedEvent, "text">): Promise<void> | undefined {
    if (this.#options.mode !== "batch") return this.#send([text]);
    const { maxEvents, maxWaitMs, maxWaitingEvents } = this.#options.batches;
    if (this.#waiting.length >= maxWaitingEvents || this.#waitingChars >= MAX_WAITING_CHARS) {
      this.#options.onError(new Error("too many events are waiting for the receiver"), 1);
      return undefined;
    }
    this.#waiting.push(text);
    this.#waitingChars += text.length;
    this.#batches.enqueue("", this.#waiting.length >= maxEvents ? 0 : maxWaitMs);
    return undefined;
  }

  async close(): Promise<void> {
    // The last events get one attempt each: the process must end.
    this.#ended.abort();
    await this.#batches.settle();
    this.#batches.close();
    this.#options.close();
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      // Ends early when the sink is closed.
      const pauseMs = this.#throttle?.takeMs() ?? 0;
      if (pauseMs > 0) await this.#options.clock.sleep(pauseMs, this.#ended.signal).catch(() => undefined);
      const size = this.#nextBatchSize();
      const batch = this.#waiting.slice(0, size);
      this.#waiting = this.#waiting.slice(size);
      for (const text of batch) this.#waitingChars -= text.length;
      try {
        await this.#send(batch);
      } catch (error) {
        this.#options.onError(error as Error, batch.length);
        // The process is to end: a receiver that does not answer is not waited for again and again.
        if (this.#ended.signal.aborted && !(error instanceof RefusedEvents)) this.#loseWaiting(error as Error);
      }
    }
  }

  #loseWaiting(error: Error): void {
    if (this.#waiting.length > 0) this.#options.onError(error, this.#waiting.length);
    this.#waiting = [];
    this.#waitingChars = 0;
  }

  /** How many of those that wait go together: at least one. */
  #nextBatchSize(): number {
    const { maxEvents, maxBytes } = this.#options.batches;
    const mostBytes = Math.min(maxBytes, MAX_BATCH_BYTES);
    const most = Math.min(maxEvents, this.#waiting.length);
    let sizeBytes = 0;
    for (let count = 0; count < most; count += 1) {
      sizeBytes += Buffer.byteLength(this.#waiting[count]!);
      if (count > 0 && sizeBytes > mostBytes) return count;
    }
    return most;
  }

  async #send(events: readonly string[]): Promise<void> {
    const { apiVersion, initialBackoffMs, post } = this.#options;
    const body = listOf(apiVersion, events);
    let backoffMs = initialBackoffMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const status = await post(body);
        if (status < 300) return;
        throw new RefusedEvents(status);
      } catch (error) {
        const worthless = error instanceof RefusedEvents && !error.mayPass;
        if (worthless || attempt === MAX_ATTEMPTS || this.#ended.signal.aborted) throw error;
      }
      // Ends early when the sink is closed.
      await this.#options.clock.sleep(backoffMs, this.#ended.signal).catch(() => undefined);
      backoffMs *= BACKOFF_FACTOR;
    }
  }
}

/** The events as they are: to read them again would take longer than everything else. */
function listOf(apiVersion: string, events: readonly string[]): Uint8Array {
  const empty = JSON.stringify({ kind: "EventList", apiVersion, metadata: {}, items: [] });
  return Buffer.from(`${empty.slice(0, -"]}".length)}${events.join(",")}]}`);
}

class RefusedEvents extends Error {
  /** Trying again may help. */
  readonly mayPass: boolean;

  constructor(status: number) {
    super(`the receiver answered ${status}`);
    this.mayPass = status === 429 || status >= 500;
  }
}
