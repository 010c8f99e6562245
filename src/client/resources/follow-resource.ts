// Follows a resource without end: its state, then every change. Lost connections are resumed where they broke; when the
// server has forgotten that place, the state comes again. Requirements: document 1, "List and watch semantics".

import { Backoff } from "../../base/backoff.ts";
import { ApiError, isApiError } from "../api-error.ts";
import type { EmptyResources, Followed } from "../empty-resources.ts";
import { TransportError } from "../transport.ts";
import { type ListOptions, listPages, withType } from "./list-objects.ts";
import type { RequestSender } from "./request-sender.ts";
import type { Stored } from "./resource-type.ts";
import type { Sharing } from "./shared-pieces.ts";
import { type RawEvent, type WatchOnce, watchOnce } from "./watch-once.ts";

export type Change<T> =
  /** Everything that there is at this version: what was seen before and is not in it has gone. */
  | { readonly type: "SYNC"; readonly items: readonly Stored<T>[]; readonly resourceVersion: string }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: Stored<T>; readonly resourceVersion: string }
  /** Nothing has changed up to this version. */
  | { readonly type: "BOOKMARK"; readonly resourceVersion: string };

export interface FollowOptions<T>
  extends Pick<ListOptions, "labelSelector" | "fieldSelector" | "signal" | "onWarning"> {
  /** Begins after this version instead of with a SYNC. */
  readonly resourceVersion?: string | undefined;
  /** How the state is asked for: as a stream where the server can (the default), or as a list in pages. */
  readonly initialState?: "stream" | "list" | undefined;
  /** A watch of which nothing is heard for so long is made anew; by default 30 seconds, 90 where its connection is pinged. */
  readonly silenceMs?: number | undefined;
  /** Told of every failure that is tried again. */
  readonly onRetry?: ((error: unknown, afterMs: number) => void) | undefined;
  /** Failures that another attempt will hardly cure (403, 404, ...) are tried again too, instead of thrown. */
  readonly keepTrying?: boolean | undefined;
  /**
   * Objects without owners that nobody has asked to end are of no interest. Where the server is of the same process and there
   * are no others, the SYNC tells of none, and another one tells of all when something has changed.
   */
  readonly onlyOwned?: boolean | undefined;
  /** The same for objects that stand as controllers have left them before: for who has nothing to do with those. */
  readonly onlyChanged?: boolean | undefined;
  /** Objects are shared with others of this process who follow the same; in place of a transform. */
  readonly sharing?: Sharing<T> | undefined;
  /** Sees every object first: may make it smaller. */
  readonly transform?: ((object: Stored<T>) => Stored<T>) | undefined;
}

export function followResource<T>(
  sender: RequestSender,
  followed: Followed,
  options: FollowOptions<T>,
): AsyncGenerator<Change<T>, void, void> {
  return new Follower<T>(sender, followed, options).run();
}

/** The server ends a watch after so long by itself, so that watches spread anew over servers. */
const MIN_WATCH_SECONDS = 300;
/** A watch that stood for so long was a good one, even if nothing happened. */
const STEADY_MS = 5_000;
const BACKOFF = { firstMs: 200, maxMs: 30_000, jitter: 1 };

class Follower<T> {
  readonly #sender: RequestSender;
  readonly #followed: Followed;
  readonly #options: FollowOptions<T>;
  readonly #backoff: Backoff;
  readonly #sharing: Sharing<never> | undefined;
  /** Up to here everything has been told; undefined: the state is to be told anew. */
  #resourceVersion: string | undefined;
  /** Since the last progress the server has once forgotten where we are. */
  #forgotten = false;
  /** Since when the watch of this turn stands. */
  #standsSinceMs: number | undefined;
  #streaming: boolean;

  constructor(sender: RequestSender, followed: Followed, options: FollowOptions<T>) {
    this.#sender = sender;
    this.#followed = followed;
    this.#options = options;
    this.#backoff = new Backoff(BACKOFF, sender.random);
    const { sharing } = options;
    this.#sharing = sharing && { shape: sharing.shape, share: (object) => this.#shared(sharing, object) as never };
    this.#resourceVersion = options.resourceVersion;
    this.#streaming = (options.initialState ?? "stream") === "stream";
  }

  async *run(): AsyncGenerator<Change<T>, void, void> {
    const { signal } = this.#options;
    const empty = await this.#emptiness();
    if (empty !== undefined) {
      yield { type: "SYNC", items: [], resourceVersion: empty.resourceVersion };
      await empty.whenOver;
    }
    for (;;) {
      signal?.throwIfAborted();
      const before = this.#resourceVersion;
      try {
        for await (const changes of this.#next()) {
          for (const change of changes) yield change;
        }
        // A server that ends every watch at once must not be asked without a pause.
        if (!this.#stood() && this.#resourceVersion === before)
          await this.#sender.clock.sleep(this.#backoff.nextMs(), signal);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        this.#stood();
        // The state that follows is a fresh start.
        if (this.#forgets(error)) continue;
        if (this.#streaming && this.#resourceVersion === undefined && refusesStreams(error)) {
          this.#streaming = false;
          continue;
        }
        if (isOver(error) || (!this.#options.keepTrying && !isPassing(error))) throw error;
        const waitMs = Math.max(this.#backoff.nextMs(), retryAfterMs(error));
        this.#options.onRetry?.(error, waitMs);
        await this.#sender.clock.sleep(waitMs, signal);
      }
    }
  }

  /** Whether the watch was a good one, even if nothing happened. */
  #stood(): boolean {
    const sinceMs = this.#standsSinceMs;
    this.#standsSinceMs = undefined;
    const steady = sinceMs !== undefined && this.#sender.clock.monotonicMs() - sinceMs >= STEADY_MS;
    if (steady) this.#progress();
    return steady;
  }

  #progress(): void {
    this.#backoff.reset();
    this.#forgotten = false;
  }

  /** Whether to begin anew at once: not with a server that forgets again what it has just told. */
  #forgets(error: unknown): boolean {
    if (!isApiError(error) || error.code !== 410) return false;
    this.#resourceVersion = undefined;
    const isFirst = !this.#forgotten;
    this.#forgotten = true;
    return isFirst;
  }

  async #emptiness(): ReturnType<EmptyResources["find"]> {
    if (this.#resourceVersion !== undefined) return undefined;
    const { signal, onlyOwned, onlyChanged } = this.#options;
    return this.#sender.emptyResources?.find({ ...this.#followed, onlyOwned, onlyChanged }, signal);
  }

  /** What comes of one request, a piece of its stream at a time. */
  #next(): AsyncGenerator<Iterable<Change<T>>, void, void> {
    if (this.#resourceVersion !== undefined) return this.#changes(this.#resourceVersion);
    return this.#streaming ? this.#stateAndChanges() : this.#state();
  }

  async *#changes(resourceVersion: string): AsyncGenerator<Iterable<Change<T>>, void, void> {
    this.#standsSinceMs = this.#sender.clock.monotonicMs();
    for await (const events of watchOnce<T>(this.#sender, this.#watch({ resourceVersion }))) yield this.#told(events);
  }

  /** The state as a stream of events that a bookmark ends, and the changes after it on the same connection. */
  async *#stateAndChanges(): AsyncGenerator<Iterable<Change<T>>, void, void> {
    const query = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
    const initial: Stored<T>[] = [];
    let synced = false;
    for await (const events of watchOnce<T>(this.#sender, this.#watch(query))) {
      if (!synced) {
        const sync = this.#collect(events, initial);
        if (sync === undefined) continue;
        synced = true;
        yield [sync];
      }
      // What came in the same piece after the state.
      yield this.#told(events);
    }
  }

  /** Takes up the state, and says so when it is whole; what follows is left in `events`. */
  #collect(events: Iterator<RawEvent<T>>, items: Stored<T>[]): Change<T> | undefined {
    for (let next = events.next(); next.done !== true; next = events.next()) {
      const event = next.value;
      if (event.type === "ADDED") items.push(this.#shaped(event.object));
      else if (event.type === "BOOKMARK" && event.initialEventsEnd) {
        this.#standsSinceMs = this.#sender.clock.monotonicMs();
        return this.#synced(items, event.resourceVersion);
      }
    }
    return undefined;
  }

  async *#state(): AsyncGenerator<Iterable<Change<T>>, void, void> {
    const { labelSelector, fieldSelector, signal, onWarning } = this.#options;
    const { type, namespace } = this.#followed;
    const items: Stored<T>[] = [];
    let resourceVersion = "";
    const pages = listPages<T>(this.#sender, type, namespace, {
      labelSelector,
      fieldSelector,
      signal,
      onWarning,
      onExpired: "restart",
    });
    for await (const page of pages) {
      if (page.restarted) items.length = 0;
      const { sharing } = this.#options;
      for (const item of page.items)
        items.push(this.#shaped(sharing === undefined ? item : this.#shared(sharing, item)));
      resourceVersion = page.metadata.resourceVersion;
    }
    yield [this.#synced(items, resourceVersion)];
  }

  #synced(items: readonly Stored<T>[], resourceVersion: string): Change<T> {
    this.#resourceVersion = resourceVersion;
    // The state alone is no progress when its place was forgotten right after the last one.
    if (!this.#forgotten) this.#backoff.reset();
    return { type: "SYNC", items, resourceVersion };
  }

  #watch(query: Readonly<Record<string, string | boolean>>): WatchOnce {
    const { labelSelector, fieldSelector, signal, silenceMs, onWarning } = this.#options;
    const timeoutSeconds = Math.round(MIN_WATCH_SECONDS * (1 + this.#sender.random()));
    return {
      ...this.#followed,
      signal,
      silenceMs,
      onWarning,
      sharing: this.#sharing,
      query: { labelSelector, fieldSelector, allowWatchBookmarks: true, timeoutSeconds, ...query },
    };
  }

  *#told(events: Iterable<RawEvent<T>>): Generator<Change<T>, void, void> {
    for (const event of events) yield this.#change(event);
  }

  #change(event: RawEvent<T>): Change<T> {
    if (event.type === "BOOKMARK") {
      this.#moveTo(event.resourceVersion);
      return { type: "BOOKMARK", resourceVersion: event.resourceVersion };
    }
    const object = this.#shaped(event.object);
    const { resourceVersion } = object.metadata;
    this.#moveTo(resourceVersion);
    return { type: event.type, object, resourceVersion };
  }

  #moveTo(resourceVersion: string): void {
    if (resourceVersion === this.#resourceVersion) return;
    this.#resourceVersion = resourceVersion;
    this.#progress();
  }

  #shared(sharing: Sharing<T>, object: Stored<T>): Stored<T> {
    return sharing.share(withType(object, this.#followed.type));
  }

  /** Shared objects are as they should be. */
  #shaped(object: Stored<T>): Stored<T> {
    const { sharing, transform } = this.#options;
    if (sharing !== undefined) return object;
    const typed = withType(object, this.#followed.type);
    return transform === undefined ? typed : transform(typed);
  }
}

/**
 * Servers without streaming lists refuse the parameter, upstream with 422, others with 400; one whose store is too old for it
 * ends the stream with 500.
 */
const STREAM_REFUSALS: readonly number[] = [400, 422, 500];

function refusesStreams(error: unknown): boolean {
  return isApiError(error) && STREAM_REFUSALS.includes(error.code);
}

const PASSING: readonly number[] = [408, 410, 429];

/** Whether the same request may well succeed later: no answer at all, or one that speaks of now. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.code >= 500 || PASSING.includes(error.code);
  return error instanceof TransportError;
}

/** Whether there is nobody left to ask. */
const isOver = (error: unknown): boolean => error instanceof TransportError && error.failure === "closed";

function retryAfterMs(error: unknown): number {
  return isApiError(error) ? (error.status.details?.retryAfterSeconds ?? 0) * 1_000 : 0;
}
