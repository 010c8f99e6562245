// The node ports: which are taken, by protocol, and picks among the rest. Pure.
// Requirements: document 3, "Service": nodePort, healthCheckNodePort.

import { DenseSlots, type Random } from "./slot-set.ts";

export interface PortRange {
  readonly first: number;
  readonly last: number;
}

export class PortPool {
  readonly range: PortRange;
  /** So many ports from the first are picked only when no other is left, so that people can choose among them. */
  readonly staticSize: number;
  readonly #random: Random;
  readonly #size: number;
  readonly #taken = new Map<string, Map<number, number>>();
  readonly #slots = new Map<string, DenseSlots>();

  constructor(range: PortRange, random: Random) {
    this.range = range;
    this.#random = random;
    this.#size = range.last - range.first + 1;
    this.staticSize = staticPorts(this.#size);
  }

  contains(port: number): boolean {
    return port >= this.range.first && port <= this.range.last;
  }

  isTaken(protocol: string, port: number): boolean {
    return this.#taken.get(protocol)?.has(port) === true;
  }

  /** Counted: a port is free when it was released as often as it was taken. */
  take(protocol: string, port: number): void {
    const taken = this.#takenOf(protocol);
    const count = taken.get(port) ?? 0;
    taken.set(port, count + 1);
    if (count === 0 && this.contains(port)) this.#slotsOf(protocol).add(port - this.range.first);
  }

  release(protocol: string, port: number): void {
    const taken = this.#takenOf(protocol);
    const count = taken.get(port) ?? 0;
    if (count > 1) taken.set(port, count - 1);
    else if (taken.delete(port) && this.contains(port)) this.#slotsOf(protocol).delete(port - this.range.first);
  }

  /** A port that is free for all these protocols; undefined when there is none. */
  pick(protocols: readonly string[]): number | undefined {
    const slots = protocols.length === 1 ? this.#slotsOf(protocols[0]!) : this.#joined(protocols);
    const slot = slots.pick(this.staticSize, this.#size, this.#random) ?? slots.pick(0, this.staticSize, this.#random);
    return slot === undefined ? undefined : this.range.first + slot;
  }

  /** Rare: one number for several protocols. */
  #joined(protocols: readonly string[]): DenseSlots {
    const joined = new DenseSlots(this.#size);
    for (const protocol of protocols) {
      for (const port of this.#takenOf(protocol).keys()) if (this.contains(port)) joined.add(port - this.range.first);
    }
    return joined;
  }

  #takenOf(protocol: string): Map<number, number> {
    let taken = this.#taken.get(protocol);
    if (taken === undefined) {
      taken = new Map();
      this.#taken.set(protocol, taken);
    }
    return taken;
  }

  #slotsOf(protocol: string): DenseSlots {
    let slots = this.#slots.get(protocol);
    if (slots === undefined) {
      slots = new DenseSlots(this.#size);
      this.#slots.set(protocol, slots);
    }
    return slots;
  }
}

/** A thirty-second of the range, at least 16 and at most 128; nothing of one that is no larger than that. */
function staticPorts(size: number): number {
  if (size <= 16) return 0;
  return Math.min(Math.max(Math.floor(size / 32), 16), 128);
}
