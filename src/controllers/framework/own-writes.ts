// What a controller has written for a key, until its cache shows it: nothing is planned from a picture that is older than
// the last write, and the news of an own write is no news.

import type { Clock } from "../../base/clock.ts";
import type { Informer, Stored } from "../../client/informer.ts";

/** After so long the cache is taken as it is: what was written may be gone with a store that was restored. */
const TTL_MS = 60_000;

interface Written {
  /** The versions of what was written last, by uid; undefined for what was deleted. */
  readonly versions: Map<string, string | undefined>;
  /** The cache was found to be behind. */
  waits: boolean;
  sinceMs: number;
}

export class OwnWrites<T> {
  readonly #clock: Clock;
  readonly #informer: Informer<T>;
  readonly #written = new Map<string, Written>();

  /** `informer`: follows what is written. */
  constructor(clock: Clock, informer: Informer<T>) {
    this.#clock = clock;
    this.#informer = informer;
  }

  wrote(key: string, { metadata }: Stored<T>): void {
    this.#note(key, metadata.uid, metadata.resourceVersion);
  }

  deleted(key: string, { metadata }: Stored<T>): void {
    this.#note(key, metadata.uid, undefined);
  }

  /** Whether the cache, which holds `objects` for this key, shows all. While it does not, every change is news. */
  areShown(key: string, objects: readonly Stored<T>[]): boolean {
    const written = this.#written.get(key);
    if (written === undefined) return true;
    const held = new Set(objects.map(({ metadata }) => metadata.uid));
    const isExpired = this.#clock.monotonicMs() - written.sinceMs > TTL_MS;
    for (const [uid, version] of isExpired ? [] : written.versions) {
      const isShown = version === undefined ? !held.has(uid) : !isOlder(this.#informer.resourceVersion, version);
      if (isShown) continue;
      written.waits = true;
      return false;
    }
    this.#written.delete(key);
    return true;
  }

  /** Whether a change is something else than what was written last for this key. */
  isNews(key: string, { metadata }: Stored<T>, isDeletion = false): boolean {
    const written = this.#written.get(key);
    if (written === undefined || written.waits || !written.versions.has(metadata.uid)) return true;
    const version = written.versions.get(metadata.uid);
    return isDeletion ? version !== undefined : version !== metadata.resourceVersion;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }

  #note(key: string, uid: string, version: string | undefined): void {
    const sinceMs = this.#clock.monotonicMs();
    const known = this.#written.get(key);
    if (known === undefined) this.#written.set(key, { versions: new Map([[uid, version]]), waits: false, sinceMs });
    else {
      known.versions.set(uid, version);
      known.sinceMs = sinceMs;
    }
  }
}

/** Versions are decimal numbers that only grow. */
function isOlder(a: string, b: string): boolean {
  return a.length === b.length ? a < b : a.length < b.length;
}
