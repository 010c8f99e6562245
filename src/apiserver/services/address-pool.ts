// The addresses of one family that services can have: all ranges of that family together, and what is taken of them.

import { type Cidr, type IpAddress, ipFromNumber, ipToNumber } from "../../meta/ip.ts";
import { AddressRange } from "./address-range.ts";
import type { Random } from "./slot-set.ts";

export class AddressPool {
  readonly #family: 4 | 6;
  readonly #random: Random;
  readonly #ranges = new Map<string, { readonly range: AddressRange; uses: number }>();
  /** How many hold an address: its record, services, requests under way. */
  readonly #taken = new Map<bigint, number>();

  constructor(family: 4 | 6, random: Random) {
    this.#family = family;
    this.#random = random;
  }

  /** From now on addresses of this network are given. */
  addRange(cidr: Cidr): void {
    const range = new AddressRange(cidr);
    const known = this.#ranges.get(range.text);
    if (known !== undefined) {
      known.uses += 1;
      return;
    }
    this.#ranges.set(range.text, { range, uses: 1 });
    for (const address of this.#taken.keys()) range.setTaken(address, true);
  }

  removeRange(cidr: Cidr): void {
    const { text } = new AddressRange(cidr);
    const known = this.#ranges.get(text);
    if (known === undefined) return;
    known.uses -= 1;
    if (known.uses === 0) this.#ranges.delete(text);
  }

  /** The networks, as messages show them. */
  get text(): string {
    return [...this.#ranges.keys()].join(",");
  }

  contains(ip: IpAddress): boolean {
    return this.rangeWith(ip) !== undefined;
  }

  rangeWith(ip: IpAddress): AddressRange | undefined {
    for (const { range } of this.#ranges.values()) if (range.contains(ip)) return range;
    return undefined;
  }

  *ranges(): Generator<AddressRange> {
    for (const { range } of this.#ranges.values()) yield range;
  }

  isTaken(ip: IpAddress): boolean {
    return this.#taken.has(ipToNumber(ip));
  }

  /** Counted: an address is free when it was released as often as it was taken. */
  take(ip: IpAddress): void {
    const address = ipToNumber(ip);
    const count = this.#taken.get(address) ?? 0;
    this.#taken.set(address, count + 1);
    if (count === 0) this.#mark(address, true);
  }

  release(ip: IpAddress): void {
    const address = ipToNumber(ip);
    const count = this.#taken.get(address) ?? 0;
    if (count > 1) this.#taken.set(address, count - 1);
    else if (this.#taken.delete(address)) this.#mark(address, false);
  }

  /** A free address; undefined when every range is full. */
  pick(): IpAddress | undefined {
    for (const { range } of this.#ranges.values()) {
      const address = range.pick(this.#random);
      if (address !== undefined) return ipFromNumber(address, this.#family);
    }
    return undefined;
  }

  #mark(address: bigint, taken: boolean): void {
    for (const { range } of this.#ranges.values()) range.setTaken(address, taken);
  }
}
