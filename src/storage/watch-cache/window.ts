// The recent changes of one resource, bounded by count, bytes and age, so that watches resume without the engine.
//
//   floor 4:  5 put a, 7 put b, 9 delete a     every change after 4 is held; a watch resumes after 4, 5, 6, ... 9
//   one more, over the limit of three
//   floor 5:  7 put b, 9 delete a, 12 put c    a watch after 4 must ask the engine's own history

import type { Clock } from "../../base/clock.ts";
import type { Revision } from "../engine.ts";
import type { RecordedEvent } from "./cache-event.ts";
import { Fifo } from "./fifo.ts";
import { inScope } from "./ordered-map.ts";

export interface WindowLimits {
  readonly maxChanges: number;
  /** Of the objects' bytes. */
  readonly maxBytes: number;
  readonly maxAgeMs: number;
}

/** A piece of history on a watcher's way: its events within a scope, and the revision up to which they are complete. */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  readonly reached: Revision;
}

export class Window {
  readonly #limits: WindowLimits;
  readonly #clock: Clock;
  readonly #events = new Fifo<RecordedEvent>();
  #floor: Revision = 0;
  #bytes = 0;

  constructor(limits: WindowLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Every change after this revision is held. */
  get floor(): Revision {
    return this.#floor;
  }

  get length(): number {
    return this.#events.length;
  }

  get sizeBytes(): number {
    return this.#bytes;
  }

  append(event: RecordedEvent): void {
    this.#events.push(event);
    this.#bytes += event.item.bytes.length;
    this.trim();
  }

  /** Drops what is over the limits. */
  trim(): void {
    const oldestMs = this.#clock.monotonicMs() - this.#limits.maxAgeMs;
    for (;;) {
      const oldest = this.#events.at(0);
      if (oldest === undefined) return;
      const fits = this.#events.length <= this.#limits.maxChanges && this.#bytes <= this.#limits.maxBytes;
      if (fits && oldest.atMs >= oldestMs) return;
      this.#dropOldest(oldest);
    }
  }

  /** Drops the changes up to and including `revision`: a load shows their outcome, or the engine has compacted them. */
  forgetUpTo(revision: Revision): void {
    for (;;) {
      const oldest = this.#events.at(0);
      if (oldest === undefined || oldest.revision > revision) break;
      this.#dropOldest(oldest);
    }
    this.#floor = Math.max(this.#floor, revision);
  }

  /** The index of the first change after `revision`; `length` when there is none. */
  indexAfter(revision: Revision): number {
    return this.#events.firstIndex((event) => event.revision > revision);
  }

  at(index: number): RecordedEvent | undefined {
    return this.#events.at(index);
  }

  /**
   * About `limit` changes after `revision`, of which those in `scope` are returned; never splits the changes of one
   * revision. Undefined when there are none.
   */
  batchAfter(revision: Revision, limit: number, scope: string): EventBatch | undefined {
    const start = this.indexAfter(revision);
    const events: RecordedEvent[] = [];
    let reached = revision;
    for (let index = start; index < this.length; index++) {
      const event = this.#events.at(index) as RecordedEvent;
      if (index - start >= limit && event.revision !== reached) break;
      reached = event.revision;
      if (inScope(event.item.key, scope)) events.push(event);
    }
    return start < this.length ? { events, reached } : undefined;
  }

  #dropOldest(oldest: RecordedEvent): void {
    this.#events.shift();
    this.#bytes -= oldest.item.bytes.length;
    this.#floor = Math.max(this.#floor, oldest.revision);
    oldest.dropped();
  }
}
