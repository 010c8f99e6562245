// What a controller has done and not yet seen: while its cache lags behind its own writes, it must not act on it, lest it
// create or delete a second time.

import type { Clock } from "../base/clock.ts";

/** After so long the events are taken to be lost, and the cache to be right. */
const TTL_MS = 5 * 60_000;

interface Expected {
  creations: number;
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}

/** By the key of the controlling object. */
export class Expectations {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock, ttlMs = TTL_MS) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** Before so many objects are created. */
  expectCreations(key: string, count: number): void {
    if (count <= 0) return;
    const expected = this.#of(key);
    this.#expected.set(key, { ...expected, creations: expected.creations + count });
  }

  /** Before the objects with these uids are deleted. */
  expectDeletions(key: string, uids: Iterable<string>): void {
    const expected = this.#of(key);
    for (const uid of uids) expected.deletions.add(uid);
    // Nothing expected is nothing to wait for.
    if (expected.creations > 0 || expected.deletions.size > 0) this.#expected.set(key, expected);
  }

  /** An object appeared in the cache, or its creation failed. */
  creationSeen(key: string): void {
    const expected = this.#expected.get(key);
    if (expected === undefined || expected.creations === 0) return;
    expected.creations -= 1;
    this.#forgetIfMet(key, expected);
  }

  /** An object went from the cache or began to end, or its deletion failed. The same one twice counts once. */
  deletionSeen(key: string, uid: string): void {
    const expected = this.#expected.get(key);
    if (expected === undefined || !expected.deletions.delete(uid)) return;
    this.#forgetIfMet(key, expected);
  }

  /** Whether the cache shows everything that was done for this key. */
  met(key: string): boolean {
    const expected = this.#expected.get(key);
    if (expected === undefined) return true;
    if (this.#clock.monotonicMs() - expected.sinceMs < this.#ttlMs) return false;
    this.#expected.delete(key);
    return true;
  }

  /** The controlling object is gone. */
  forget(key: string): void {
    this.#expected.delete(key);
  }

  #of(key: string): Expected {
    const sinceMs = this.#clock.monotonicMs();
    const known = this.#expected.get(key);
    return { creations: known?.creations ?? 0, deletions: known?.deletions ?? new Set(), sinceMs };
  }

  #forgetIfMet(key: string, { creations, deletions }: Expected): void {
    if (creations === 0 && deletions.size === 0) this.#expected.delete(key);
  }
}
