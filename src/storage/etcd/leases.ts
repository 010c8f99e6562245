// Leases carry the ttl of keys. A lease costs etcd memory and work of its own, so keys that expire at about the same time
// share one: it is granted a little longer than asked, and serves as long as what is left covers the ttl.

import { randomInt } from "node:crypto";
import { BoundedCache } from "../../base/bounded-cache.ts";
import type { Clock } from "../../base/clock.ts";
import type { EtcdConnection } from "./connection.ts";
import { leaseGrantMethod } from "./messages.ts";

export type LeaseId = number;

interface SharedLease {
  readonly id: LeaseId;
  /** When it was asked for. */
  readonly since: Moment;
  readonly seconds: number;
  keys: number;
}

/** One moment on both clocks: the time of day may be set back, and the other stands still while the machine sleeps. */
interface Moment {
  readonly ofDayMs: number;
  readonly monotonicMs: number;
}

// How much later than asked a key may vanish: a twentieth of its ttl, a minute at most.
const SHARE_FRACTION = 0.05;
const MAX_SHARE_SECONDS = 60;
// All keys of a lease are deleted in one commit, which must not become huge.
const MAX_KEYS_PER_LEASE = 1_000;
const MAX_REMEMBERED_TTLS = 256;

export class LeasePool {
  readonly #grantLease: (ttlSeconds: number) => Promise<LeaseId>;
  readonly #clock: Clock;
  /** The lease in use by ttl. */
  readonly #byTtl = new BoundedCache<number, Promise<SharedLease>>({ maxEntries: MAX_REMEMBERED_TTLS });

  constructor(grantLease: (ttlSeconds: number) => Promise<LeaseId>, clock: Clock) {
    this.#grantLease = grantLease;
    this.#clock = clock;
  }

  /** A lease that lasts at least `ttlSeconds` from now. */
  async leaseFor(ttlSeconds: number): Promise<LeaseId> {
    const ttl = Math.max(1, Math.ceil(ttlSeconds));
    for (;;) {
      const known = this.#byTtl.get(ttl);
      const lease = known ?? this.#remember(ttl, this.#grant(ttl));
      const shared = await lease;
      const leftMs = shared.seconds * 1_000 - this.#msSince(shared.since);
      const usable = known === undefined || (leftMs >= ttl * 1_000 && shared.keys < MAX_KEYS_PER_LEASE);
      if (usable) {
        shared.keys++;
        return shared.id;
      }
      this.#drop(ttl, lease);
    }
  }

  /** The server does not know the lease any more. */
  forget(ttlSeconds: number): void {
    this.#byTtl.delete(Math.max(1, Math.ceil(ttlSeconds)));
  }

  async #grant(ttl: number): Promise<SharedLease> {
    const granted = ttl + Math.min(MAX_SHARE_SECONDS, Math.floor(ttl * SHARE_FRACTION));
    const since = this.#now();
    return { id: await this.#grantLease(granted), since, seconds: granted, keys: 0 };
  }

  #now(): Moment {
    return { ofDayMs: this.#clock.nowMs(), monotonicMs: this.#clock.monotonicMs() };
  }

  /** The longer of what both clocks say: a lease that is given up too early is only one more to grant. */
  #msSince(moment: Moment): number {
    const now = this.#now();
    return Math.max(now.ofDayMs - moment.ofDayMs, now.monotonicMs - moment.monotonicMs);
  }

  #remember(ttl: number, lease: Promise<SharedLease>): Promise<SharedLease> {
    lease.catch(() => this.#drop(ttl, lease));
    this.#byTtl.set(ttl, lease);
    return lease;
  }

  #drop(ttl: number, lease: Promise<SharedLease>): void {
    if (this.#byTtl.get(ttl) === lease) this.#byTtl.delete(ttl);
  }
}

export async function grantLease(connection: EtcdConnection, ttlSeconds: number): Promise<LeaseId> {
  const retry = connection.retries();
  for (;;) {
    // An own number below 2^53, anew at each try: a try that was lost may have taken the last one.
    const id = randomInt(1, 2 ** 48 - 1);
    try {
      await connection.callOnce(leaseGrantMethod, { TTL: ttlSeconds, ID: id }, retry.deadlineMs);
      return id;
    } catch (failure) {
      await retry.afterFailure(failure);
    }
  }
}
