// Since when things are as they are, as far as we have seen: clocks of other machines may be wrong, and ours cannot tell.
// What is forgotten in a restart only costs another question, or another wait.

import type { Lease } from "../../kinds/coordination/lease.ts";
import { ANSWER_MS, type SeenCandidate, type SeenLease } from "./election-step.ts";
import type { Candidate } from "./lease-key.ts";

interface Mark {
  readonly text: string;
  readonly sinceMs: number;
}

interface Moment {
  /** On the clock that never jumps. */
  readonly nowMs: number;
  /** Of day. */
  readonly timeMs: number;
}

export class Observations {
  readonly #leases = new Map<string, Mark>();
  /** By uid. */
  readonly #candidates = new Map<string, { readonly renewal: Mark; readonly ping: Mark }>();

  lease(key: string, { spec = {} }: Partial<Lease>, { nowMs }: Moment): SeenLease {
    const { holderIdentity, renewTime, acquireTime, leaseTransitions } = spec;
    const text = JSON.stringify([holderIdentity, renewTime, acquireTime, leaseTransitions]);
    const mark = latest(this.#leases.get(key), text, nowMs);
    this.#leases.set(key, mark);
    return { spec, sinceMs: mark.sinceMs };
  }

  candidate(candidate: Candidate, { nowMs, timeMs }: Moment): SeenCandidate<Candidate> {
    const { metadata, spec } = candidate;
    const known = this.#candidates.get(metadata.uid);
    // Of the first sign of life that we see only its own word says whether it is new.
    const isNews = known !== undefined || Math.abs(timeMs - Date.parse(spec.renewTime ?? "")) < ANSWER_MS;
    const renewal = latest(known?.renewal, spec.renewTime ?? "", isNews ? nowMs : Number.NEGATIVE_INFINITY);
    const ping = latest(known?.ping, spec.pingTime ?? "", nowMs);
    this.#candidates.set(metadata.uid, { renewal, ping });
    return { candidate, renewedMs: renewal.sinceMs, pingedMs: ping.sinceMs };
  }

  forgetLease(key: string): void {
    this.#leases.delete(key);
  }

  forgetCandidate({ metadata }: Candidate): void {
    this.#candidates.delete(metadata.uid);
  }
}

const latest = (known: Mark | undefined, text: string, nowMs: number): Mark =>
  known?.text === text ? known : { text, sinceMs: nowMs };
