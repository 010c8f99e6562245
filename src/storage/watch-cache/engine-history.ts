// Changes older than the window, read from the engine's own history. One stretch is shared by all watchers that resume
// at about the same time, for example after a restart of the server.

import type { Clock, Timer } from "../../base/clock.ts";
import type { Steps } from "../../base/steps.ts";
import type { Change, Revision, StorageEngine } from "../engine.ts";
import { StorageError } from "../storage-error.ts";
import type { RecordedEvent } from "./cache-event.ts";
import { inScope } from "./ordered-map.ts";
import type { ProgressRequests } from "./progress-requests.ts";
import type { EventBatch } from "./window.ts";

/** A watcher that missed more than this lists again: cheaper for it and for the server. */
const MAX_CHANGES = 50_000;
const MAX_BYTES = 64 * 1024 * 1024;
/** How long a stretch waits for others who can use it. */
const KEEP_MS = 10_000;

type ToEvent = (change: Change) => Steps<RecordedEvent | undefined>;

export interface EngineHistoryOptions {
  readonly engine: StorageEngine;
  readonly prefix: string;
  readonly clock: Clock;
  readonly progress: ProgressRequests;
  readonly toEvent: ToEvent;
  readonly maxChanges?: number;
  readonly maxBytes?: number;
}

export class EngineHistory {
  readonly #options: EngineHistoryOptions;
  readonly #closing = new AbortController();
  #current: { readonly after: Revision; readonly upTo: Revision; readonly stretch: Promise<Stretch> } | undefined;
  #forgetTimer: Timer | undefined;

  constructor(options: EngineHistoryOptions) {
    this.#options = options;
  }

  /**
   * A stretch that holds every change after `after`, up to a revision that is at least `atLeast` and at most `upTo`.
   * Fails with RevisionGone when the engine no longer has them or they are too many, else with what the engine fails with.
   */
  async read(after: Revision, atLeast: Revision, upTo: Revision): Promise<Stretch> {
    for (;;) {
      const shared = this.#current;
      if (shared === undefined || after < shared.after || shared.upTo < atLeast) return await this.#begin(after, upTo);
      try {
        return await shared.stretch;
      } catch (error) {
        // A stretch that begins earlier may be gone or too long where this one is not.
        if (shared.after === after) throw error;
      }
    }
  }

  close(): void {
    this.#closing.abort();
    this.#forgetTimer?.cancel();
    this.#current = undefined;
  }

  #begin(after: Revision, upTo: Revision): Promise<Stretch> {
    const stretch = this.#read(after, upTo);
    const begun = { after, upTo, stretch };
    this.#current = begun;
    const forget = (): void => {
      if (this.#current === begun) this.#current = undefined;
    };
    stretch.then(() => {
      if (this.#current !== begun) return;
      this.#forgetTimer?.cancel();
      this.#forgetTimer = this.#options.clock.setTimer(KEEP_MS, forget);
    }, forget);
    return stretch;
  }

  async #read(after: Revision, upTo: Revision): Promise<Stretch> {
    const { engine, prefix, progress, toEvent, maxChanges = MAX_CHANGES, maxBytes = MAX_BYTES } = this.#options;
    const changes: Change[] = [];
    const reading = new AbortController();
    const signal = AbortSignal.any([reading.signal, this.#closing.signal]);
    let bytes = 0;
    let complete = false;
    let tooMany = false;

    const sink = {
      change(change: Change): void {
        if (reading.signal.aborted) return;
        if (change.revision > upTo) {
          complete = true;
          reading.abort();
          return;
        }
        changes.push(change);
        bytes += (change.value ?? change.previous?.value)?.length ?? 0;
        if (changes.length <= maxChanges && bytes <= maxBytes) return;
        tooMany = true;
        reading.abort();
      },
      progress(revision: Revision): void {
        if (reading.signal.aborted || revision < upTo) return;
        complete = true;
        reading.abort();
      },
    };

    const watching = engine.watch(prefix, after, sink, signal);
    const release = progress.demand();
    try {
      await watching;
    } catch (error) {
      // Some engines end an aborted watch by failing it.
      if (!complete && !tooMany) throw error;
    } finally {
      release();
      reading.abort();
    }
    if (complete) return new Stretch(changes, upTo, toEvent);
    if (tooMany) throw new StorageError("RevisionGone", "too many changes since that revision; list again");
    throw new StorageError(this.#closing.signal.aborted ? "Closed" : "Unavailable", "the history could not be read");
  }
}

/** Changes in revision order; made into events when first asked for, then shared. */
class Stretch {
  readonly upTo: Revision;
  readonly #changes: readonly Change[];
  readonly #events: (RecordedEvent | undefined)[] = [];
  readonly #toEvent: ToEvent;

  constructor(changes: readonly Change[], upTo: Revision, toEvent: ToEvent) {
    this.#changes = changes;
    this.upTo = upTo;
    this.#toEvent = toEvent;
  }

  /** As Window.batchAfter; undefined when everything up to `upTo` has been given. */
  *batchAfter(revision: Revision, limit: number, scope: string): Steps<EventBatch | undefined> {
    if (revision >= this.upTo) return undefined;
    const start = firstAfter(this.#changes, revision);
    const events: RecordedEvent[] = [];
    let reached = revision;
    for (let index = start; index < this.#changes.length; index++) {
      const change = this.#changes[index] as Change;
      if (index - start >= limit && change.revision !== reached) return { events, reached };
      reached = change.revision;
      if (!inScope(change.key, scope)) continue;
      const event = yield* this.#eventAt(index, change);
      if (event !== undefined) events.push(event);
    }
    return { events, reached: this.upTo };
  }

  *#eventAt(index: number, change: Change): Steps<RecordedEvent | undefined> {
    if (this.#events[index] === undefined) {
      const event = yield* this.#toEvent(change);
      // Another who replays may have made it meanwhile: all share one.
      this.#events[index] ??= event;
      yield;
    }
    return this.#events[index];
  }
}

function firstAfter(changes: readonly Change[], revision: Revision): number {
  let low = 0;
  let high = changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((changes[middle] as Change).revision > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}
