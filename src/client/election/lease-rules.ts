// Who may hold a lease: rules without I/O. Times of others are never compared with ours; what counts is for how long we
// have seen a lease unchanged.

import type { ElectionTimes } from "../../base/election-times.ts";
import type { Lease } from "../../kinds/coordination/lease.ts";

type LeaseSpec = Lease["spec"];

/** A lease as it was last seen to change. */
export interface Observation {
  readonly holder: string;
  /** Everything that a renewal changes. */
  readonly mark: string;
  /** When this mark was first seen, on our monotonic clock. */
  readonly sinceMs: number;
}

export function observe(known: Observation | undefined, spec: LeaseSpec | undefined, nowMs: number): Observation {
  const holder = spec?.holderIdentity ?? "";
  const mark = JSON.stringify([holder, spec?.renewTime, spec?.acquireTime, spec?.leaseTransitions]);
  return known?.mark === mark ? known : { holder, mark, sinceMs: nowMs };
}

interface Candidate {
  readonly identity: string;
  readonly settings: ElectionTimes;
  readonly nowMs: number;
}

/** What the lease should say, without its renewal time; undefined while another holds it. */
export function decide(
  spec: LeaseSpec | undefined,
  seen: Observation | undefined,
  { identity, settings, nowMs }: Candidate,
): LeaseSpec | undefined {
  const holder = spec?.holderIdentity ?? "";
  const leaseDurationSeconds = Math.ceil(settings.leaseDurationMs / 1_000);
  if (holder === identity) return { ...spec, leaseDurationSeconds };
  const durationMs = (spec?.leaseDurationSeconds ?? leaseDurationSeconds) * 1_000;
  if (holder !== "" && (seen === undefined || nowMs - seen.sinceMs < durationMs)) return undefined;
  // Nobody else has chosen us, nor the next one.
  const { acquireTime: _, strategy: __, preferredHolder: ___, ...rest } = spec ?? {};
  return {
    ...rest,
    holderIdentity: identity,
    leaseDurationSeconds,
    leaseTransitions: spec === undefined ? 0 : (spec.leaseTransitions ?? 0) + 1,
  };
}

/** The same where the server chooses: undefined unless the lease names us, and nobody to come after us. */
export function decideWhenNamed(
  spec: LeaseSpec | undefined,
  { identity, settings }: Omit<Candidate, "nowMs">,
): LeaseSpec | undefined {
  if (spec?.holderIdentity !== identity || successorOf(spec, identity) !== undefined) return undefined;
  return { ...spec, leaseDurationSeconds: Math.ceil(settings.leaseDurationMs / 1_000) };
}

/** To whom the holder is to give up the lease. */
export function successorOf(spec: LeaseSpec | undefined, identity: string): string | undefined {
  const preferred = spec?.preferredHolder ?? "";
  return preferred === "" || preferred === identity ? undefined : preferred;
}
