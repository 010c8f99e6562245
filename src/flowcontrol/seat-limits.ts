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

const percent = (seats: number, of100: number): number => Math.round((seats * of100) / 100);
