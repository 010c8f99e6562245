// One of several processes leads, by holding a Lease. Who leads stops before anybody else can begin: every write of a
// leader is checked against its own clock, which has less time than the others wait for.
//
//   leader:   renewed |----------- renewDeadlineMs ----------| no write any more
//   others:        saw |------------------- the lease's duration ------------------| may take over
//
// A process that is halted between that check and the end of the same turn of its event loop sends when it goes on what it
// had handed to its connection by then; what a connection holds nobody can take back. Upstream promises no more, and checks
// nothing before it sends. Writes that must not come so late say which version of the object they are about.

import { setMaxListeners } from "node:events";
import { definedOnly } from "../base/defined-only.ts";
import { ELECTION_JITTER, type ElectionTimes, fitTogether } from "../base/election-times.ts";
import type { Lease } from "../kinds/coordination/lease.ts";
import { timeOfMs } from "../meta/time.ts";
import { isApiError } from "./api-error.ts";
import { kinds } from "./built-in-kinds.ts";
import { Candidacy, type CandidateVersions } from "./election/candidacy.ts";
import { FencedTransport, type Leadership, LeadershipLost } from "./election/fenced-transport.ts";
import { decide, decideWhenNamed, type Observation, observe, successorOf } from "./election/lease-rules.ts";
import type { ResourceClient } from "./resource-client.ts";
import type { Resource } from "./resources/resource.ts";
import type { Stored } from "./resources/resource-type.ts";

export { LeadershipLost } from "./election/fenced-transport.ts";

export interface LeaderElectionOptions<C extends ResourceClient> {
  readonly client: C;
  readonly leaseDurationMs?: number | undefined;
  readonly renewDeadlineMs?: number | undefined;
  readonly retryPeriodMs?: number | undefined;
  /** Of the Lease. */
  readonly namespace: string;
  readonly name: string;
  /** Who we are; different in every process. */
  readonly identity: string;
  /**
   * The server chooses who leads (its feature gate CoordinatedLeaderElection): we announce ourselves as a LeaseCandidate with
   * these versions, lead when the lease names us, and give it up to whom it prefers. Otherwise the first who takes it leads.
   */
  readonly candidate?: CandidateVersions | undefined;
  /** Told whenever another leader is seen. */
  readonly onLeader?: ((identity: string) => void) | undefined;
  /** Told of failures that are tried again, and of which of our objects. */
  readonly onError?: ((error: unknown, of: "lease" | "candidate") => void) | undefined;
}

/** The time in which this process leads. */
export interface Term<C> {
  /** Aborted when the term is over, by LeadershipLost or by the end of the election. */
  readonly signal: AbortSignal;
  /** Writes only while the term lasts: later ones fail with LeadershipLost before they are handed to the connection. */
  readonly client: C;
  /** Another client under the same condition. */
  fenced<D extends ResourceClient>(client: D): D;
  /** Grows with every change of the leader: for stores that can refuse an older one. */
  readonly fencingToken: number;
}

const SETTINGS: ElectionTimes = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

export class LeaderElection<C extends ResourceClient> {
  readonly #options: LeaderElectionOptions<C>;
  readonly #settings: ElectionTimes;
  readonly #leases: Resource<Lease>;
  #seen: Observation | undefined;
  /** The lease as we wrote it last; undefined when somebody else may have written since. */
  #written: Stored<Lease> | undefined;
  /** Whom the server wants to lead instead of us. */
  #successor: string | undefined;
  /** Undefined while another process leads. */
  #leadership: Leadership | undefined;

  constructor(options: LeaderElectionOptions<C>) {
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = { ...SETTINGS, ...definedOnly(options) };
    this.#settings = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
    if (!fitTogether(this.#settings))
      throw new Error("an election needs retryPeriodMs < renewDeadlineMs < leaseDurationMs");
    this.#options = options;
    this.#leases = options.client.resource(kinds.coordination.v1.leases, options.namespace);
  }

  /** A client that writes only while this process leads, for work that gets ready before; a term's own ends with its term. */
  fenced<D extends ResourceClient>(client: D): D {
    return fencedBy(client, () => this.#leadership);
  }

  /**
   * Waits to lead, leads for as long as `lead` runs, and gives the lease back. Rejects with LeadershipLost when the lease
   * could not be renewed in time, after `lead` has ended; else with what `lead` rejects with, or the signal's reason.
   */
  async lead(lead: (term: Term<C>) => Promise<void>, signal?: AbortSignal): Promise<void> {
    const candidacy = this.#announce();
    const withdraw = () => candidacy?.withdraw(this.#settings.retryPeriodMs);
    try {
      await this.#leadOnce(await this.#acquire(signal), lead, withdraw, signal);
    } finally {
      await withdraw();
    }
  }

  async #leadOnce(
    first: Held,
    lead: (term: Term<C>) => Promise<void>,
    withdraw: () => Promise<void> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { clock } = this.#options.client;
    const ended = new AbortController();
    // Every request of the term may listen to it.
    setMaxListeners(0, ended.signal);
    const end = () => ended.abort(signal?.reason);
    signal?.addEventListener("abort", end, { once: true });
    let goodUntilMs = first.untilMs;
    const leadership: Leadership = {
      signal: ended.signal,
      mayWrite: () => !ended.signal.aborted && clock.monotonicMs() < goodUntilMs,
    };
    this.#leadership = leadership;
    const fenced = <D extends ResourceClient>(client: D): D => fencedBy(client, () => leadership);
    const renewing = this.#renew(ended, first.untilMs, (untilMs) => {
      goodUntilMs = untilMs;
    });
    try {
      await lead({
        signal: ended.signal,
        client: fenced(this.#options.client),
        fenced,
        fencingToken: first.lease.spec.leaseTransitions ?? 0,
      });
      if (ended.signal.aborted) throw ended.signal.reason;
    } catch (error) {
      // What broke because the term was over is not what it ended for.
      throw ended.signal.aborted ? ended.signal.reason : error;
    } finally {
      signal?.removeEventListener("abort", end);
      ended.abort(new LeadershipLost("the work of the leader has ended"));
      this.#leadership = undefined;
      await renewing;
      // Or the lease, once it is free, would be offered to us again.
      await withdraw();
      await this.#release();
    }
  }

  #announce(): Candidacy | undefined {
    const { client, namespace, name, identity, candidate, onError } = this.#options;
    if (candidate === undefined) return undefined;
    return new Candidacy({
      client,
      namespace,
      leaseName: name,
      name: identity,
      versions: candidate,
      onError: (error) => onError?.(error, "candidate"),
    });
  }

  /** Returns with the lease, and until when its holder may write. */
  async #acquire(signal: AbortSignal | undefined): Promise<Held> {
    const { clock, random } = this.#options.client;
    for (;;) {
      const held = await this.#attempt(signal);
      if (held !== undefined) return held;
      await clock.sleep(this.#settings.retryPeriodMs * (1 + ELECTION_JITTER * random()), signal);
    }
  }

  /** Renews until the term ends, and ends it itself when that does not succeed in time. */
  async #renew(ended: AbortController, untilMs: number, extend: (untilMs: number) => void): Promise<void> {
    const { clock } = this.#options.client;
    const lost = (why = "the lease could not be renewed in time") => ended.abort(new LeadershipLost(why));
    const endAt = (ms: number) => clock.setTimer(Math.max(0, ms - clock.monotonicMs()), () => lost());
    let deadline = endAt(untilMs);
    try {
      for (;;) {
        await clock.sleep(this.#settings.retryPeriodMs, ended.signal);
        const held = await this.#attempt(ended.signal);
        if (held !== undefined) {
          extend(held.untilMs);
          deadline.cancel();
          deadline = endAt(held.untilMs);
        } else if (this.#seen !== undefined && this.#seen.holder !== this.#options.identity) lost();
        else if (this.#successor !== undefined) lost(`the lease is to go to ${this.#successor}`);
      }
    } catch {
      // Only the end of the term ends the loop.
    } finally {
      deadline.cancel();
    }
  }

  /** Takes or renews the lease if that is possible now. */
  async #attempt(signal: AbortSignal | undefined): Promise<Held | undefined> {
    const { client, identity, name, candidate, onError } = this.#options;
    const settings = this.#settings;
    // Whoever sees the renewal sees it later than this.
    const beganMs = client.clock.monotonicMs();
    try {
      // Who holds the lease knows it: one request less that may be slow, or refused because there are too many.
      const current = this.#written ?? (await this.#leases.find(name, { signal }));
      this.#written = undefined;
      this.#notice(observe(this.#seen, current?.spec, client.clock.monotonicMs()));
      this.#successor = candidate && successorOf(current?.spec, identity);
      const nowMs = client.clock.monotonicMs();
      const spec =
        candidate === undefined
          ? decide(current?.spec, this.#seen, { identity, settings, nowMs })
          : decideWhenNamed(current?.spec, { identity, settings });
      if (spec === undefined) return undefined;
      const now = timeOfMs(client.clock.nowMs(), "micros");
      const wanted = { ...spec, renewTime: now, acquireTime: spec.acquireTime ?? now };
      const lease =
        current === undefined
          ? await this.#leases.create({ metadata: { name }, spec: wanted }, { signal })
          : await this.#leases.update({ ...current, spec: wanted }, { signal });
      this.#written = lease;
      this.#notice(observe(this.#seen, lease.spec, client.clock.monotonicMs()));
      return { lease, untilMs: beganMs + this.#settings.renewDeadlineMs };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      // Somebody else was faster: that is how elections go.
      if (!isApiError(error, "Conflict", "AlreadyExists")) onError?.(error, "lease");
      return undefined;
    }
  }

  #notice(seen: Observation): void {
    const changed = seen.holder !== this.#seen?.holder;
    this.#seen = seen;
    if (changed && seen.holder !== "") this.#options.onLeader?.(seen.holder);
  }

  /** Nobody need wait for the end of a lease whose holder is done, nor the holder for a server that does not answer. */
  async #release(): Promise<void> {
    const { name, identity, onError, client } = this.#options;
    const signal = client.clock.timeoutSignal(this.#settings.retryPeriodMs);
    try {
      const current = await this.#leases.find(name, { signal });
      if (current?.spec.holderIdentity !== identity) return;
      const spec = { ...current.spec, holderIdentity: "", leaseDurationSeconds: 1 };
      await this.#leases.update({ ...current, spec }, { signal });
    } catch (error) {
      if (!isApiError(error, "Conflict")) onError?.(error, "lease");
    }
  }
}

function fencedBy<D extends ResourceClient>(client: D, leadership: () => Leadership | undefined): D {
  return client.with({ transport: new FencedTransport(client.transport, leadership) });
}

interface Held {
  readonly lease: Stored<Lease>;
  /** On the monotonic clock. */
  readonly untilMs: number;
}
