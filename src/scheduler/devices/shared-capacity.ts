// What is left of devices that several requests may use at once. Pure but for what it counts.

import { compareQuantities, parseQuantity } from "../../meta/quantity.ts";
import { type CapacityAmounts, changedAmounts } from "../state/capacity-amounts.ts";
import type { PooledDevice } from "./pools.ts";

export class SharedCapacity {
  readonly #usedBefore: (device: string) => CapacityAmounts | undefined;
  /** By device: how many shares this search has taken, and what they sum up to with those of before. */
  readonly #taken = new Map<string, { shares: number; amounts: CapacityAmounts }>();

  /** `usedBefore`: by shares of others; undefined when there are none. */
  constructor(usedBefore: (device: string) => CapacityAmounts | undefined) {
    this.#usedBefore = usedBefore;
  }

  /** Whether anyone has a share of the device. */
  isShared({ key }: PooledDevice): boolean {
    return (this.#taken.get(key)?.shares ?? 0) > 0 || this.#usedBefore(key) !== undefined;
  }

  /** Takes all of it, or nothing where there is not so much left. */
  take({ key, device }: PooledDevice, share: CapacityAmounts): boolean {
    const known = this.#taken.get(key);
    const amounts = changedAmounts(known?.amounts ?? this.#usedBefore(key) ?? NOTHING, share, 1);
    for (const [name, { value }] of Object.entries(device.capacity ?? {})) {
      const used = amounts.get(name);
      const all = parseQuantity(value);
      if (used !== undefined && all !== undefined && compareQuantities(used, all) > 0) return false;
    }
    this.#taken.set(key, { shares: (known?.shares ?? 0) + 1, amounts });
    return true;
  }

  giveBack({ key }: PooledDevice, share: CapacityAmounts): void {
    const known = this.#taken.get(key);
    if (known !== undefined)
      this.#taken.set(key, { shares: known.shares - 1, amounts: changedAmounts(known.amounts, share, -1) });
  }
}

const NOTHING: CapacityAmounts = new Map();
