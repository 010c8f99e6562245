// What devices that are parts of one and the same thing take from the counters that they share, within a slice: of a card with
// 40 GiB either one part of 40 or two of 20 can be in use. Pure.

import { addQuantities, parseQuantity, type Quantity, quantitySign, subtractQuantities } from "../../meta/quantity.ts";
import type { Slice } from "../state/devices.ts";
import { devicesOf, type PooledDevice } from "./pools.ts";

/** By "set/counter"; neither name has a slash. */
type Counters = Map<string, Quantity>;

export class SharedCounters {
  readonly #isTaken: (device: PooledDevice) => boolean;
  readonly #left = new Map<Slice, Counters>();

  /** `isTaken`: before this search began. */
  constructor(isTaken: (device: PooledDevice) => boolean) {
    this.#isTaken = isTaken;
  }

  /** Takes what the device needs, or nothing where any counter of its slice would fall below zero. */
  take(device: PooledDevice): boolean {
    if (consumptionOf(device).length === 0) return true;
    let left = this.#left.get(device.slice);
    if (left === undefined) {
      left = countersOf(device.slice);
      for (const other of devicesOf(device.slice)) if (this.#isTaken(other)) change(left, other, -1);
      this.#left.set(device.slice, left);
    }
    change(left, device, -1);
    for (const amount of left.values()) {
      if (quantitySign(amount) >= 0) continue;
      change(left, device, 1);
      return false;
    }
    return true;
  }

  giveBack(device: PooledDevice): void {
    const left = this.#left.get(device.slice);
    if (left !== undefined) change(left, device, 1);
  }
}

function countersOf({ spec }: Slice): Counters {
  const counters: Counters = new Map();
  for (const { name: set, counters: members } of spec.sharedCounters ?? [])
    for (const [name, { value }] of Object.entries(members ?? {})) counters.set(`${set}/${name}`, amountOf(value));
  return counters;
}

/** Counters that the slice does not have count nothing. */
function change(counters: Counters, device: PooledDevice, by: 1 | -1): void {
  for (const { counterSet, counters: members } of consumptionOf(device)) {
    for (const [name, { value }] of Object.entries(members ?? {})) {
      const key = `${counterSet}/${name}`;
      const known = counters.get(key);
      if (known === undefined) continue;
      counters.set(key, by === 1 ? addQuantities(known, amountOf(value)) : subtractQuantities(known, amountOf(value)));
    }
  }
}

const consumptionOf = ({ device }: PooledDevice) => device.consumesCounters ?? [];

const NOTHING: Quantity = parseQuantity("0")!;

const amountOf = (text: string): Quantity => parseQuantity(text) ?? NOTHING;
