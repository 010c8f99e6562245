// Reports what a component does as Events, in the background: reporting never fails, blocks, or floods the server.

import { Backoff } from "../base/backoff.ts";
import { TokenBucket } from "../base/token-bucket.ts";
import { ApiError, isApiError } from "./api-error.ts";
import { CoreEvents } from "./events/core-events.ts";
import type { EventSink } from "./events/event-sink.ts";
import { type ObjectReference, type ReportedEvent, referenceTo } from "./events/reported-event.ts";
import { SeriesEvents } from "./events/series-events.ts";
import type { ResourceClient } from "./resource-client.ts";

export interface EventRecorderOptions {
  readonly client: ResourceClient;
  /** Who reports: with a domain, `example.com/my-controller`. */
  readonly controller: string;
  /** Which instance of it; the controller's name when not given. */
  readonly instance?: string | undefined;
  /** The node on which it runs, where that matters. */
  readonly host?: string | undefined;
  /** "events" (the default) writes Events of the events group, "core" those of the core group. */
  readonly api?: "events" | "core" | undefined;
  /** Told of events that could not be written. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export type Report = Omit<ReportedEvent, "regarding" | "related"> & {
  readonly related?: Parameters<typeof referenceTo>[0] | undefined;
  /** The part of the object that it is about: `spec.containers{main}`. */
  readonly fieldPath?: string | undefined;
};

/**
 * More writes than this do not wait, as upstream: the newest events are lost then. They are counted all the same: the next
 * event of the same sort says how often it has happened.
 */
const MAX_WAITING = 1_000;
/** As upstream's components: what is reported of thousands of pods at once does not take the server from those pods. */
const WRITES = { perSecond: 50, burst: 100 };
/** Reports of one object are written one after the other, those of different objects side by side. */
const LANES = 8;
const MAX_ATTEMPTS = 12;
const BACKOFF = { firstMs: 1_000, maxMs: 10_000, jitter: 0.5 };

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #sink: EventSink;
  readonly #stop = new AbortController();
  readonly #pace: TokenBucket;
  readonly #lanes: Lane[] = Array.from({ length: LANES }, () => ({ waiting: [], writing: undefined }));
  #waiting = 0;
  #lost = 0;
  #lastNameMs = 0;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    const { client, controller, instance = controller, host, api = "events" } = options;
    this.#pace = new TokenBucket(client.clock, WRITES);
    const reporter = { controller, instance, ...(host === undefined ? {} : { host }) };
    this.#sink =
      api === "core"
        ? new CoreEvents(client, reporter)
        : new SeriesEvents(client, reporter, (write, about) => this.#enqueue(write, about));
  }

  /** Reports something about an object. */
  record(object: Parameters<typeof referenceTo>[0], { related, fieldPath, ...event }: Report): void {
    if (this.#stop.signal.aborted) return;
    const regarding = { ...referenceTo(object), ...(fieldPath === undefined ? {} : { fieldPath }) };
    const reported = { ...event, regarding, ...(related === undefined ? {} : { related: referenceTo(related) }) };
    const write = this.#sink.prepare(reported, this.#nameFor(regarding.name ?? ""));
    if (write !== undefined) this.#enqueue(write, regarding);
  }

  normal(object: Parameters<typeof referenceTo>[0], reason: string, message: string): void {
    this.record(object, { type: "Normal", reason, message });
  }

  warning(object: Parameters<typeof referenceTo>[0], reason: string, message: string): void {
    this.record(object, { type: "Warning", reason, message });
  }

  /** When everything reported so far is written or given up. */
  async flush(): Promise<void> {
    while (this.#waiting > 0) await Promise.all(this.#lanes.map(({ writing }) => writing));
  }

  /** Writes what waits at once, without trying again what fails. */
  async close(): Promise<void> {
    await this.#sink.close();
    this.#stop.abort(new Error("the recorder was closed"));
    await this.flush();
  }

  #enqueue(write: () => Promise<void>, about: ObjectReference): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#lost += 1;
      return;
    }
    this.#waiting += 1;
    const lane = this.#lanes[laneOf(about)]!;
    lane.waiting.push(write);
    lane.writing ??= this.#writeAll(lane);
  }

  async #writeAll(lane: Lane): Promise<void> {
    while (lane.waiting.length > 0) {
      const batch = lane.waiting;
      lane.waiting = [];
      for (const write of batch) {
        await this.#sleep(this.#pace.takeMs());
        await this.#writeOne(write);
        this.#waiting -= 1;
        this.#sayLost();
      }
    }
    // At once: what comes in the next moment must find nobody at work.
    lane.writing = undefined;
  }

  /** Once for all that were lost while there was no room. */
  #sayLost(): void {
    if (this.#lost === 0) return;
    this.#options.onError?.(new Error(`too many events waited to be written: ${this.#lost} are lost`));
    this.#lost = 0;
  }

  async #writeOne(write: () => Promise<void>): Promise<void> {
    const { client, onError } = this.#options;
    const backoff = new Backoff(BACKOFF, client.random);
    for (let attempt = 1; ; attempt += 1) {
      try {
        await write();
        return;
      } catch (error) {
        if (isApiError(error, "AlreadyExists")) return;
        // A server that refuses an event will do so again; one that did not answer may be back soon.
        const refused = error instanceof ApiError && error.code < 500 && error.code !== 429;
        if (refused || attempt >= MAX_ATTEMPTS || this.#stop.signal.aborted) {
          onError?.(error);
          return;
        }
        await this.#sleep(backoff.nextMs());
      }
    }
  }

  /** Not longer than until the recorder is closed. */
  async #sleep(ms: number): Promise<void> {
    const { signal } = this.#stop;
    if (ms > 0 && !signal.aborted) await this.#options.client.clock.sleep(ms, signal).catch(() => undefined);
  }

  /** As upstream names them: after the object and the time, which never repeats here. */
  #nameFor(objectName: string): string {
    this.#lastNameMs = Math.max(this.#options.client.clock.nowMs(), this.#lastNameMs + 0.001);
    const nanos = BigInt(Math.round(this.#lastNameMs * 1_000)) * 1_000n;
    return `${objectName}.${nanos.toString(16)}`;
  }
}

interface Lane {
  waiting: (() => Promise<void>)[];
  writing: Promise<void> | undefined;
}

/** The same for the same object, and spread over all lanes. */
function laneOf({ uid = "", name = "" }: ObjectReference): number {
  let sum = 0;
  const text = uid === "" ? name : uid;
  for (let at = 0; at < text.length; at += 1) sum = (sum * 31 + text.charCodeAt(at)) >>> 0;
  return sum % LANES;
}
