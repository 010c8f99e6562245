// One follower of a resource: first replays what it missed, then lives in the index of watchers.

import type { Revision } from "../engine.ts";
import { StorageError } from "../storage-error.ts";
import { type CacheEvent, type CacheItem, type EventType, transition } from "./cache-event.ts";
import type { Requirement } from "./requirement.ts";

export interface WatchOptions {
  /** A key prefix ending in "/" (the whole resource, a namespace), or one complete key. */
  readonly scope: string;
  /** Events begin with the first change after this revision. */
  readonly after: Revision;
  readonly sink: CacheWatchSink;
  /** Which objects the watcher wants to see; all when absent. Pure. */
  readonly matches?: (item: CacheItem) => boolean;
  /** Names what `matches` tests: watchers with equal scope and selectorKey share one evaluation for every change. */
  readonly selectorKey?: string;
  /** A promise of `matches`, with one value: changes of other items are not even tried. */
  readonly requires?: Requirement;
}

export interface CacheWatchSink {
  /**
   * One change as this watcher sees it. Called synchronously with the change and must not block: a sink whose consumer
   * cannot keep up closes its watch. May close any watch; when it throws, its own watch ends.
   */
  event(event: CacheEvent, type: EventType): void;
  /** Resolves when there is room for more. Awaited while missed changes are replayed, never for live ones. */
  drained?(): Promise<void> | undefined;
  /**
   * The last call, except after close(). RevisionGone: the changes after `after` are no longer known, list again.
   * "closed": the cache shuts down.
   */
  ended(reason: StorageError | "closed"): void;
}

export interface CacheWatch {
  /** The sink has been given everything up to this revision: what a bookmark may say. */
  readonly revision: Revision;
  /** No event follows. Idempotent. */
  close(): void;
}

interface WatcherHost {
  /** What the cache has reached. */
  revision(): Revision;
  remove(watcher: Watcher): void;
  log(message: string, error: unknown): void;
}

export class Watcher implements CacheWatch {
  readonly options: WatchOptions;
  readonly #host: WatcherHost;
  /** What the sink has been given, while it replays; the least revision it wants, afterwards. */
  reached: Revision;
  live = false;
  #closed = false;

  constructor(options: WatchOptions, host: WatcherHost) {
    this.options = options;
    this.#host = host;
    this.reached = options.after;
  }

  get revision(): Revision {
    return this.live ? Math.max(this.reached, this.#host.revision()) : this.reached;
  }

  get closed(): boolean {
    return this.#closed;
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#host.remove(this);
  }

  end(reason: StorageError | "closed"): void {
    if (this.#closed) return;
    this.close();
    try {
      this.options.sink.ended(reason);
    } catch (error) {
      this.#host.log("the sink of a watch failed at its end", error);
    }
  }

  /** Gives the event to the sink when the selector concerns it. */
  offer(event: CacheEvent): void {
    let type: EventType | undefined;
    try {
      type = transition(event, this.options.matches);
    } catch (error) {
      this.fail(error);
      return;
    }
    if (type !== undefined) this.deliver(event, type);
  }

  deliver(event: CacheEvent, type: EventType): void {
    if (this.#closed || event.revision <= this.reached) return;
    try {
      this.options.sink.event(event, type);
    } catch (error) {
      this.fail(error);
    }
  }

  /** A bad sink or selector ends its own watch and hurts nobody else. */
  fail(error: unknown): void {
    this.#host.log("a watch failed and was ended", error);
    this.end(new StorageError("Unavailable", "the watch failed; watch again", { cause: error }));
  }
}
