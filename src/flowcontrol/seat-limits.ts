// From the shares of the priority levels to seats.

import type { PriorityLevelConfigurationSpec } from "../kinds/flowcontrol/priority-level-spec.ts";

export interface SeatLimits {
  /** Its part of the server's seats. */
  readonly nominal: number;
  /** What it never lends. */
  readonly lower: number;
  /** With everything that it may borrow. */
  readonly upper: number;
}

/** Rounded up, so that every share is at least a seat: the sum may be a little more than the total, as upstream. */
export function seatLimits(total: number, specs: readonly PriorityLevelConfigurationSpec[]): SeatLimits[] {
  const shares = specs.map((spec) => (spec.limited ?? spec.exempt)?.nominalConcurrencyShares ?? 0);
  const sum = shares.reduce((a, b) => a + b, 0);
  return specs.map(({ limited, exempt }, index) => {
    const nominal = sum === 0 ? 0 : Math.ceil((total * shares[index]!) / sum);
    const lendable = percent(nominal, (limited ?? exempt)?.lendablePercent ?? 0);
    const borrowing = limited?.borrowingLimitPercent ?? undefined;
    return {
      nominal,
      lower: nominal - lendable,
      upper: nominal + (borrowing === undefined ? total : percent(nominal, borrowing)),
    };
  });
}

/** What a level may have, and what it could use now. */
export interface SeatDemand extends Pick<SeatLimits, "lower" | "upper"> {
  readonly wanted: number;
}

/**
 * The part of what each level wants that all could have at the same time, each within its limits, if the seats were
 * given out by that alone; above 1 where there are more than are wanted. 0: there are no more than levels keep anyway.
 */
export function fairFraction(seats: number, levels: readonly SeatDemand[]): number {
  const targets = levels.map(({ wanted, lower }) => Math.max(wanted, lower, LEAST_TARGET));
  const given = (fraction: number): number =>
    levels.reduce((sum, { lower, upper }, at) => sum + Math.min(upper, Math.max(lower, fraction * targets[at]!)), 0);
  let high = levels.reduce((most, { upper }, at) => Math.max(most, upper / targets[at]!), 0);
  if (given(high) <= seats) return high;
  if (given(0) >= seats) return 0;
  let low = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const middle = (low + high) / 2;
    if (given(middle) < seats) low = middle;
    else high = middle;
  }
  return high;
}

/** Nobody wants nothing: a fraction of it would be anything. */
const LEAST_TARGET = 0.5;
/** Each halves what is left to find. */
const ROUNDS = 50;

const percent = (seats: number, of100: number): number => Math.round((seats * of100) / 100);
