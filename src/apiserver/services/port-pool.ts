// The node ports: which are taken, and picks among the rest. A number serves one Service, whatever the protocols. Pure.
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
  readonly size: number;
  readonly #taken = new Map<number, number>();
  readonly #slots: DenseSlots;

  constructor(range: PortRange, random: Random) {
    this.range = range;
    this.#random = random;
    this.size = range.last - range.first + 1;
    this.staticSize = staticPorts(this.size);
    this.#slots = new DenseSlots(this.size);
  }

  get takenCount(): number {
    return this.#slots.takenCount;
  }

  contains(port: number): boolean {
    return port >= this.range.first && port <= this.range.last;
  }

  isTaken(port: number): boolean {
    return this.#taken.has(port);
  }

  /** Counted: a port is free when it was released as often as it was taken. */
  take(port: number): void {
    const count = this.#taken.get(port) ?? 0;
    this.#taken.set(port, count + 1);
    if (count === 0 && this.contains(port)) this.#slots.add(port - this.range.first);
  }

  release(port: number): void {
    const count = this.#taken.get(port) ?? 0;
    if (count > 1) this.#taken.set(port, count - 1);
    else if (this.#taken.delete(port) && this.contains(port)) this.#slots.delete(port - this.range.first);
  }

  /** A free port; undefined when there is none. */
  pick(): number | undefined {
    const slots = this.#slots;
    const slot = slots.pick(this.staticSize, this.size, this.#random) ?? slots.pick(0, this.staticSize, this.#random);
    return slot === undefined ? undefined : this.range.first + slot;
  }
}

/** A thirty-second of the range, at least 16 and at most 128; nothing of one that is no larger than that. */
function staticPorts(size: number): number {
  if (size <= 16) return 0;
  return Math.min(Math.max(Math.floor(size / 32), 16), 128);
}
