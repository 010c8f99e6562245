// What the tests of the watch cache share: a small resource, a sink that remembers, an engine that can be lost.

import { afterEach, beforeEach } from "vitest";
import { FakeClock } from "../../base/clock.ts";
import type { Change, Revision, StorageEngine, WatchSink } from "../engine.ts";
import { MemoryEngine } from "../memory-engine.ts";
import type { StorageError } from "../storage-error.ts";
import {
  type CacheEvent,
  type CacheItem,
  type CacheWatch,
  type CacheWatchSink,
  type EventType,
  type ReadItem,
  WatchCache,
  type WatchCacheOptions,
  type WatchOptions,
} from "../watch-cache.ts";

/** A fresh engine and clock for every test, and caches that are closed after it. To be called at the top of a file. */
export function useFixture(): Fixture {
  const fixture = new Fixture();
  beforeEach(() => fixture.open());
  afterEach(() => fixture.close());
  return fixture;
}

class Fixture {
  engine = new LosableEngine();
  clock = new FakeClock();
  #caches: WatchCache[] = [];

  open(): void {
    this.engine = new LosableEngine();
    this.clock = new FakeClock();
  }

  async close(): Promise<void> {
    for (const cache of this.#caches) await cache.close();
    this.#caches = [];
    await this.engine.close();
  }

  newCache(options: Partial<WatchCacheOptions> = {}): WatchCache {
    const { engine, clock } = this;
    const cache = new WatchCache({ engine, prefix: PREFIX, readItem, clock, pause: async () => {}, ...options });
    this.#caches.push(cache);
    return cache;
  }

  async readyCache(options: Partial<WatchCacheOptions> = {}): Promise<WatchCache> {
    const cache = this.newCache(options);
    await cache.ready();
    return cache;
  }

  create(name: string, labels: Record<string, string> = {}): Promise<Revision> {
    return this.engine.create(keyOf(name), stored(labels));
  }

  async update(name: string, labels: Record<string, string> = {}, data = 1): Promise<Revision> {
    const entry = await this.engine.get(keyOf(name));
    return this.engine.update(keyOf(name), stored(labels, data), entry?.revision ?? 0);
  }

  async remove(name: string): Promise<Revision> {
    const entry = await this.engine.get(keyOf(name));
    return this.engine.delete(keyOf(name), entry?.revision ?? 0);
  }
}

export function follow(cache: WatchCache, after: Revision, options: Partial<WatchOptions> = {}): RememberingSink {
  const sink = new RememberingSink();
  sink.watch = cache.watch({ scope: PREFIX, after, sink, ...options });
  return sink;
}

export const PREFIX = "/registry/configmaps/";

export const keyOf = (name: string): string => PREFIX + name;

/** Stored objects are {"labels": {...}, "data": n}; what readers get carries the revision too. */
export function stored(labels: Record<string, string>, data = 0): Uint8Array {
  return Buffer.from(JSON.stringify({ labels, data }));
}

export const readItem: ReadItem = (key, value, revision) => {
  const object = JSON.parse(Buffer.from(value).toString());
  const labels: Record<string, string> = Object.assign(Object.create(null), object.labels);
  const bytes = Buffer.from(JSON.stringify({ ...object, revision }));
  return { key, revision, bytes, labels, fields: { "metadata.name": key.slice(key.lastIndexOf("/") + 1), ...labels } };
};

export const isRed = (item: CacheItem): boolean => item.labels?.["color"] === "red";

/** "ns/a@5" */
export const names = (items: readonly CacheItem[] | undefined): string[] | undefined =>
  items?.map((item) => `${item.key.slice(PREFIX.length)}@${item.revision}`);

export const textOf = (item: CacheItem): string => Buffer.from(item.bytes).toString();

/** "ADDED ns/a@5" */
function describeEvent(event: CacheEvent, type: EventType): string {
  return `${type} ${event.item.key.slice(PREFIX.length)}@${event.shownAs(type).revision}`;
}

export class RememberingSink implements CacheWatchSink {
  readonly seen: string[] = [];
  readonly events: CacheEvent[] = [];
  endedWith: StorageError | "closed" | undefined;
  watch: CacheWatch | undefined;
  onEvent: ((event: CacheEvent) => void) | undefined;

  event(event: CacheEvent, type: EventType): void {
    this.events.push(event);
    this.seen.push(describeEvent(event, type));
    this.onEvent?.(event);
  }

  ended(reason: StorageError | "closed"): void {
    if (this.endedWith !== undefined) throw new Error("ended twice");
    this.endedWith = reason;
  }
}

/** A memory engine whose watches can be broken and whose calls can be made to fail. */
export class LosableEngine extends MemoryEngine {
  readonly watchedAfter: Revision[] = [];
  readonly pageSizes: number[] = [];
  /** Fails every list and watch while set. */
  down: StorageError | undefined;
  #breakers = new Set<(error: unknown) => void>();

  override async list(...args: Parameters<StorageEngine["list"]>): ReturnType<StorageEngine["list"]> {
    if (this.down !== undefined) throw this.down;
    const page = await super.list(...args);
    this.pageSizes.push(page.entries.length);
    return page;
  }

  override async watch(prefix: string, after: Revision, sink: WatchSink, signal: AbortSignal): Promise<void> {
    this.watchedAfter.push(after);
    if (this.down !== undefined) throw this.down;
    const ending = new AbortController();
    let broken = false;
    const whole: WatchSink = {
      change: (change: Change) => {
        if (!broken) sink.change(change);
      },
      progress: (revision) => {
        if (!broken) sink.progress?.(revision);
      },
    };
    let breaker: ((error: unknown) => void) | undefined;
    const breaking = new Promise<never>((_, reject) => {
      breaker = (error) => {
        broken = true;
        ending.abort();
        reject(error);
      };
      this.#breakers.add(breaker);
    });
    try {
      await Promise.race([super.watch(prefix, after, whole, AbortSignal.any([signal, ending.signal])), breaking]);
    } finally {
      if (breaker !== undefined) this.#breakers.delete(breaker);
    }
  }

  /** Ends every watch with this error. */
  breakWatches(error: unknown): void {
    for (const breaker of [...this.#breakers]) breaker(error);
  }
}

/** Waits for a condition, turn by turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
