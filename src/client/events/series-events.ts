// Reports as Events of the events group: what happens again becomes a series, which is written when it begins, every half
// hour, and when it ends: six minutes after it was last seen. Upstream's times.

import type { Timer } from "../../base/clock.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Event } from "../../kinds/events/event.ts";
import { timeOfMs } from "../../meta/time.ts";
import { isApiError } from "../api-error.ts";
import { kinds } from "../built-in-kinds.ts";
import type { ResourceClient } from "../resource-client.ts";
import type { EventSink, Reporter } from "./event-sink.ts";
import { joined, type ObjectReference, type ReportedEvent, referenceKey } from "./reported-event.ts";

const FINISH_MS = 6 * 60_000;
const REFRESH_MS = 30 * 60_000;
/** Kinds of events at once; the oldest are written and forgotten first. */
const MAX_SERIES = 4_096;
const MAX_NOTE_BYTES = 1_024;

/** `about`: what the write is about. */
type WriteLater = (write: () => Promise<void>, about: ObjectReference) => void;

interface Series {
  readonly event: Draft<Event>;
  readonly namespace: string;
  count: number;
  lastMs: number;
  writtenMs: number;
}

export class SeriesEvents implements EventSink {
  readonly #client: ResourceClient;
  readonly #reporter: Reporter;
  readonly #write: WriteLater;
  /** Least recently seen first. */
  readonly #series = new Map<string, Series>();
  readonly #timer: Timer;

  /** `write` takes what is to be written later. */
  constructor(client: ResourceClient, reporter: Reporter, write: WriteLater) {
    this.#client = client;
    this.#reporter = reporter;
    this.#write = write;
    this.#timer = client.clock.every(FINISH_MS / 6, () => this.#look());
  }

  prepare(event: ReportedEvent, name: string): (() => Promise<void>) | undefined {
    const key = joined([
      event.type,
      event.action,
      event.reason,
      referenceKey(event.regarding),
      referenceKey(event.related ?? {}),
      // As upstream: what is said of another state of the object is another story, in other words perhaps.
      event.regarding.resourceVersion,
      event.related?.resourceVersion,
    ]);
    const nowMs = this.#client.clock.nowMs();
    const known = this.#series.get(key);
    if (known !== undefined) {
      this.#series.delete(key);
      this.#series.set(key, known);
      known.count += 1;
      known.lastMs = nowMs;
      // The second one begins the series; further ones are told of from time to time.
      return known.count === 2 ? this.#writing(known) : undefined;
    }
    const namespace = event.regarding.namespace ?? "default";
    const made = {
      event: this.#event(event, namespace, name, nowMs),
      namespace,
      count: 1,
      lastMs: nowMs,
      writtenMs: nowMs,
    };
    this.#series.set(key, made);
    if (this.#series.size > MAX_SERIES) this.#finish(this.#series.keys().next().value!);
    return async () => {
      await this.#events(namespace).create(made.event, { answer: "unread" });
    };
  }

  async close(): Promise<void> {
    this.#timer.cancel();
    for (const key of this.#series.keys()) this.#finish(key);
  }

  #look(): void {
    const nowMs = this.#client.clock.nowMs();
    for (const [key, series] of this.#series) {
      if (nowMs - series.lastMs >= FINISH_MS) this.#finish(key);
      else if (series.count > 1 && nowMs - series.writtenMs >= REFRESH_MS)
        this.#write(this.#writing(series), series.event.regarding ?? {});
    }
  }

  #finish(key: string): void {
    const series = this.#series.get(key)!;
    this.#series.delete(key);
    if (series.count > 1) this.#write(this.#writing(series), series.event.regarding ?? {});
  }

  #writing(series: Series): () => Promise<void> {
    const nowMs = this.#client.clock.nowMs();
    series.writtenMs = nowMs;
    const told = { count: series.count, lastObservedTime: timeOfMs(series.lastMs, "micros") };
    return async () => {
      const events = this.#events(series.namespace);
      try {
        await events.patch(series.event.metadata!.name!, { merge: { series: told } }, { answer: "unread" });
      } catch (error) {
        // Events do not live for ever.
        if (!isApiError(error, "NotFound")) throw error;
        await events.create({ ...series.event, series: told }, { answer: "unread" });
      }
    };
  }

  #events(namespace: string) {
    return this.#client.resource(kinds.events.v1.events, namespace);
  }

  #event(event: ReportedEvent, namespace: string, name: string, nowMs: number): Draft<Event> {
    const { regarding, related, type, reason, message, action = reason } = event;
    const { controller, instance } = this.#reporter;
    return {
      metadata: { name, namespace },
      eventTime: timeOfMs(nowMs, "micros"),
      reportingController: controller,
      reportingInstance: instance,
      action,
      reason,
      regarding: { ...regarding },
      ...(related === undefined ? {} : { related: { ...related } }),
      note: cut(message),
      type,
    };
  }
}

/** At most so many bytes of text, without a broken character at the end. */
function cut(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= MAX_NOTE_BYTES) return text;
  return bytes.toString("utf8", 0, MAX_NOTE_BYTES).replace(/\ufffd+$/, "");
}
