// What an election needs next, from what is seen of the lease and of its candidates. Pure. Times that others write say who
// they are older than, never how much time has passed: for that counts since when we see a thing as it is.
//
//   lease free, or another is better than its holder
//     -> ask all candidates that have not spoken of late ("ping"), until the best one has answered or has had its time
//     -> free: offer the lease to the best; held: say who is to have it next, and the holder gives it up

import type { Lease } from "../../kinds/coordination/lease.ts";
import type { LeaseCandidate } from "../../kinds/coordination/lease-candidate.ts";
import { OLDEST_EMULATION_VERSION } from "../../meta/election-strategy.ts";
import { timeOfMs } from "../../meta/time.ts";
import { agreedStrategy, bestCandidate } from "./best-candidate.ts";

type LeaseSpec = Lease["spec"];

export interface SeenCandidate<C extends LeaseCandidate = LeaseCandidate> {
  readonly candidate: C;
  /** Since when we see its last sign of life; long ago where that was old when we saw it first. */
  readonly renewedMs: number;
  /** Since when we see the last question to it. */
  readonly pingedMs: number;
}

export interface SeenLease {
  readonly spec: LeaseSpec;
  /** Since when it has not been renewed, nor gone to another. */
  readonly sinceMs: number;
}

interface Election<C extends LeaseCandidate> {
  readonly candidates: readonly SeenCandidate<C>[];
  readonly lease: SeenLease | undefined;
  /** On the clock that never jumps. */
  readonly nowMs: number;
  /** Of day. */
  readonly timeMs: number;
}

export type ElectionStep<C extends LeaseCandidate> =
  /** Nothing to do before something changes, or so much time has passed. */
  | Rest
  | { readonly type: "ping"; readonly candidates: readonly C[] }
  /** What the lease is to say. */
  | { readonly type: "write"; readonly spec: LeaseSpec };

interface Rest {
  readonly type: "rest";
  readonly againMs?: number | undefined;
  /** Why nobody can be chosen. */
  readonly dispute?: string;
}

/** How long a candidate has to answer: upstream's number. */
export const ANSWER_MS = 5_000;
/** A sign of life counts until those who were asked with it have had their time, too. */
const FRESH_MS = 2 * ANSWER_MS;
/** For so long the lease waits for whom it was offered to. */
const OFFER_SECONDS = 5;
/** Who has not shown itself for so long is no candidate. Upstream's number, as that before. */
const CANDIDATE_LIFE_MS = 1_800_000;
const ASK_AFTER_MS = CANDIDATE_LIFE_MS / 2;

export function nextStep<C extends LeaseCandidate>(election: Election<C>): ElectionStep<C> {
  const { nowMs, timeMs } = election;
  const speaking = election.candidates.filter(
    (seen) => !isExpired(seen.candidate, timeMs) && stateOf(seen, nowMs) !== "silent",
  );
  if (speaking.length === 0) return { type: "rest" };
  const quiet = speaking.filter((seen) => stateOf(seen, nowMs) === "quiet");
  const step = stepOf(election, speaking, quiet);
  if (step.type !== "rest" || step.dispute !== undefined) return step;
  // Whoever has gone is found out before it counts for anything. Last: one that cannot be asked is not to keep the others.
  const longQuiet = quiet.filter(({ candidate }) => ageMs(candidate, timeMs) >= ASK_AFTER_MS);
  return longQuiet.length > 0 ? ping(longQuiet) : step;
}

function stepOf<C extends LeaseCandidate>(
  { lease, nowMs, timeMs }: Election<C>,
  speaking: readonly SeenCandidate<C>[],
  quiet: readonly SeenCandidate<C>[],
): ElectionStep<C> {
  const rest: Rest = { type: "rest", againMs: untilNextMs(lease, quiet, nowMs, timeMs) };
  const candidates = speaking.map(({ candidate }) => candidate);
  const agreed = agreedStrategy(candidates);
  if ("dispute" in agreed) return { ...rest, dispute: agreed.dispute };
  const free = isFree(lease, nowMs);
  if (agreed.strategy !== OLDEST_EMULATION_VERSION) {
    // Somebody else chooses; the lease says by which rule.
    if (!free || lease?.spec.strategy === agreed.strategy) return rest;
    return { type: "write", spec: { ...(lease?.spec ?? newTerm(timeMs)), strategy: agreed.strategy } };
  }
  const best = bestCandidate(candidates);
  if (best === undefined || (!free && isSettled(lease!.spec, best))) return rest;
  if (!free && lease!.spec.holderIdentity === best.metadata.name) return { type: "write", spec: kept(lease!.spec) };

  const bestSeen = speaking.find(({ candidate }) => candidate === best)!;
  if (stateOf(bestSeen, nowMs) === "fresh") {
    const spec = free ? offered(lease?.spec, best, timeMs) : passedOn(lease!.spec, best);
    return { type: "write", spec };
  }
  if (quiet.length > 0) return ping(quiet);
  return { type: "rest", againMs: bestSeen.pingedMs + ANSWER_MS - nowMs };
}

/** What a question says: later than the last sign of life, also where the candidate's clock is ahead. */
export function pingTimeOf(candidate: LeaseCandidate, timeMs: number): string {
  const renewedMs = Date.parse(candidate.spec.renewTime ?? "");
  return timeOfMs(Number.isNaN(renewedMs) ? timeMs : Math.max(timeMs, renewedMs + 1), "micros");
}

/** No sign of life for too long, or one from a time that is far ahead, which nobody can believe. */
export function isExpired({ metadata, spec }: LeaseCandidate, timeMs: number): boolean {
  const renewedMs = Date.parse(spec?.renewTime ?? "");
  return metadata.deletionTimestamp !== undefined || !(Math.abs(timeMs - renewedMs) <= CANDIDATE_LIFE_MS);
}

function stateOf(
  { candidate: { spec }, renewedMs, pingedMs }: SeenCandidate,
  nowMs: number,
): "fresh" | "quiet" | "awaited" | "silent" {
  const isUnanswered = Date.parse(spec.renewTime ?? "") < Date.parse(spec.pingTime ?? "");
  // Of a candidate whose clock is behind, what we saw later was said later.
  if (isUnanswered && renewedMs <= pingedMs) return nowMs - pingedMs < ANSWER_MS ? "awaited" : "silent";
  return nowMs - renewedMs < FRESH_MS ? "fresh" : "quiet";
}

function isFree(lease: SeenLease | undefined, nowMs: number): boolean {
  if (lease === undefined || !lease.spec.holderIdentity) return true;
  return untilOverMs(lease, nowMs) <= 0;
}

/** A lease that does not say until when is over. */
function untilOverMs({ spec, sinceMs }: SeenLease, nowMs: number): number {
  if (spec.renewTime === undefined || spec.leaseDurationSeconds === undefined) return 0;
  return sinceMs + spec.leaseDurationSeconds * 1_000 - nowMs;
}

function isSettled({ holderIdentity, preferredHolder = "", strategy }: LeaseSpec, best: LeaseCandidate): boolean {
  if (holderIdentity === best.metadata.name) return preferredHolder === "";
  return preferredHolder === best.metadata.name && strategy === OLDEST_EMULATION_VERSION;
}

/** Undefined where only a change can make a difference. */
function untilNextMs(
  lease: SeenLease | undefined,
  quiet: readonly SeenCandidate[],
  nowMs: number,
  timeMs: number,
): number | undefined {
  let nextMs = lease?.spec.holderIdentity ? untilOverMs(lease, nowMs) : 0;
  if (nextMs <= 0) nextMs = Number.POSITIVE_INFINITY;
  for (const { candidate } of quiet) nextMs = Math.min(nextMs, ASK_AFTER_MS - ageMs(candidate, timeMs));
  return nextMs === Number.POSITIVE_INFINITY ? undefined : nextMs;
}

const ageMs = ({ spec }: LeaseCandidate, timeMs: number): number => timeMs - Date.parse(spec.renewTime ?? "");

const ping = <C extends LeaseCandidate>(seen: readonly SeenCandidate<C>[]): ElectionStep<C> => ({
  type: "ping",
  candidates: seen.map(({ candidate }) => candidate),
});

function newTerm(timeMs: number): LeaseSpec {
  return { leaseDurationSeconds: OFFER_SECONDS, renewTime: timeOfMs(timeMs, "micros") };
}

/** The candidate has not taken it yet: it says since when it holds the lease, and until when. */
function offered(spec: LeaseSpec | undefined, best: LeaseCandidate, timeMs: number): LeaseSpec {
  const { preferredHolder: _, acquireTime: __, ...rest } = spec ?? {};
  return {
    ...rest,
    ...newTerm(timeMs),
    strategy: OLDEST_EMULATION_VERSION,
    holderIdentity: best.metadata.name!,
    // Each term can be told from those before it.
    ...(spec === undefined ? {} : { leaseTransitions: (spec.leaseTransitions ?? 0) + 1 }),
  };
}

function passedOn(spec: LeaseSpec, best: LeaseCandidate): LeaseSpec {
  return { ...spec, strategy: OLDEST_EMULATION_VERSION, preferredHolder: best.metadata.name! };
}

/** Who was better has gone. */
function kept({ preferredHolder: _, ...spec }: LeaseSpec): LeaseSpec {
  return spec;
}
