// Keeps a cache in step with its engine: lists once, then watches; resumes where it was after an outage, and lists anew
// only when the engine no longer has the changes in between.

import { nextTurn } from "../../base/next-turn.ts";
import { inTurns, type Steps } from "../../base/steps.ts";
import type { Change, Revision, StorageEngine, StoredEntry } from "../engine.ts";
import { isStorageError, StorageError } from "../storage-error.ts";
import { asStorageError } from "./as-storage-error.ts";

/** Small enough that decoding one page does not hold up the event loop. */
const LOAD_PAGE_SIZE = 500;
/** A load that is overtaken by compaction begins again, so often. */
const MAX_LOAD_ATTEMPTS = 3;
const FIRST_RETRY_MS = 50;
const MAX_RETRY_MS = 5_000;

interface FeedTarget {
  /** A new load begins; entries follow and are not visible before `loaded`. */
  loading(): void;
  load(entries: readonly StoredEntry[]): Steps<void>;
  /** What was loaded becomes the state at `revision`; changes follow. */
  loaded(revision: Revision): void;
  change(change: Change): void;
  progress(revision: Revision): void;
  /** The engine has been closed: nothing follows. */
  ended(error: StorageError): void;
  log(message: string, error: unknown): void;
}

interface FeedOptions {
  readonly engine: StorageEngine;
  readonly prefix: string;
  readonly target: FeedTarget;
  /** Between attempts to reach a lost engine. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

export class Feed {
  readonly #options: FeedOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** Up to where the target knows everything. */
  #reached: Revision = 0;
  #failures = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /** The first load. Fails as the engine does, may then be called again; once it succeeds the feed runs until stopped. */
  async start(): Promise<void> {
    try {
      await this.#load();
    } catch (error) {
      throw asStorageError(error);
    }
    this.#stopping.signal.throwIfAborted();
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new StorageError("Closed", "the watch cache is closed"));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const error = await this.#follow();
      if (signal.aborted) return;
      if (error.code === "Closed") {
        this.#options.target.ended(error);
        return;
      }
      this.#options.target.log("the watch of the storage engine failed", error);
      await this.#pauseAfterFailure();
      // An engine that was away has kept the changes; only when it has not is everything read again.
      if (error.code !== "Unavailable") await this.#loadUntilDone();
    }
  }

  /** Watches from where the target is. Returns why it ended. */
  async #follow(): Promise<StorageError> {
    const { engine, prefix, target } = this.#options;
    const { signal } = this.#stopping;
    let isOver = false;
    const sink = {
      change: (change: Change): void => {
        if (isOver || signal.aborted) return;
        this.#failures = 0;
        this.#reached = change.revision;
        try {
          target.change(change);
        } catch (error) {
          // To go on behind it would be to miss it for ever.
          throw new StorageError("Corrupt", `a change of ${change.key} could not be taken in`, { cause: error });
        }
      },
      progress: (revision: Revision): void => {
        if (isOver || signal.aborted) return;
        this.#failures = 0;
        this.#reached = Math.max(this.#reached, revision);
        target.progress(revision);
      },
    };
    try {
      await engine.watch(prefix, this.#reached, sink, signal);
      return new StorageError("Unavailable", "the storage engine ended the watch");
    } catch (error) {
      return asStorageError(error);
    } finally {
      isOver = true;
    }
  }

  async #loadUntilDone(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      try {
        await this.#load();
        return;
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        this.#options.target.log("the objects could not be listed again", error);
        if (isStorageError(error, "Closed")) return;
        await this.#pauseAfterFailure();
      }
    }
  }

  async #load(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#loadOnce();
        return;
      } catch (error) {
        if (attempt === MAX_LOAD_ATTEMPTS || !isStorageError(error, "RevisionGone")) throw error;
      }
    }
  }

  async #loadOnce(): Promise<void> {
    const { engine, prefix, target } = this.#options;
    target.loading();
    let page = await engine.list(prefix, { limit: LOAD_PAGE_SIZE });
    const { revision } = page;
    for (;;) {
      await inTurns(target.load(page.entries), async () => {
        await nextTurn();
        this.#stopping.signal.throwIfAborted();
      });
      this.#stopping.signal.throwIfAborted();
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) break;
      await nextTurn();
      page = await engine.list(prefix, { limit: LOAD_PAGE_SIZE, after: last.key, revision });
    }
    this.#reached = revision;
    target.loaded(revision);
  }

  async #pauseAfterFailure(): Promise<void> {
    const ms = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 16);
    try {
      await this.#options.pause(ms, this.#stopping.signal);
    } catch {
      // Stopped meanwhile: the caller looks at the signal.
    }
  }
}
