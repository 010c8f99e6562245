// The usable addresses of one network, which of them are taken, and picks among the rest. Pure.
// Requirements: document 3, "Service": clusterIP.

import { type Cidr, cidrContainsIp, formatCidr, type IpAddress, ipToNumber, maskCidr } from "../../meta/ip.ts";
import { DenseSlots, type Random, SparseSlots } from "./slot-set.ts";

/** Above so many addresses a bit for each would be waste: they can never all be taken. */
const MAX_DENSE_SIZE = 2n ** 22n;

export class AddressRange {
  readonly cidr: Cidr;
  readonly text: string;
  /** The first usable address: the network's own is left out, as is the broadcast address of IPv4. */
  readonly first: bigint;
  readonly size: bigint;
  /** So many addresses from the first are picked only when no other is left, so that people can choose among them. */
  readonly staticSize: bigint;
  readonly #dense: DenseSlots | undefined;
  readonly #sparse = new SparseSlots();

  constructor(cidr: Cidr) {
    this.cidr = maskCidr(cidr);
    this.text = formatCidr(this.cidr);
    const hostBits = BigInt(this.cidr.ip.bytes.length * 8 - this.cidr.prefixLength);
    const total = 2n ** hostBits;
    const unusable = this.cidr.ip.family === 4 ? 2n : 1n;
    this.first = ipToNumber(this.cidr.ip) + 1n;
    this.size = total > unusable ? total - unusable : 0n;
    this.staticSize = staticAddresses(total);
    if (this.size <= MAX_DENSE_SIZE) this.#dense = new DenseSlots(Number(this.size));
  }

  /** Whether it is a usable address of this network. */
  contains(ip: IpAddress): boolean {
    return cidrContainsIp(this.cidr, ip) && this.#hasSlot(ipToNumber(ip));
  }

  /** Addresses of other networks are ignored. */
  setTaken(address: bigint, taken: boolean): void {
    if (!this.#hasSlot(address)) return;
    const slot = address - this.first;
    if (this.#dense === undefined) taken ? this.#sparse.add(slot) : this.#sparse.delete(slot);
    else taken ? this.#dense.add(Number(slot)) : this.#dense.delete(Number(slot));
  }

  get takenCount(): number {
    return this.#dense?.takenCount ?? this.#sparse.takenCount;
  }

  /** A free address; undefined when the range is full. */
  pick(random: Random): bigint | undefined {
    return this.#pickBetween(this.staticSize, this.size, random) ?? this.#pickBetween(0n, this.staticSize, random);
  }

  #pickBetween(from: bigint, to: bigint, random: Random): bigint | undefined {
    const end = to < this.size ? to : this.size;
    if (from >= end) return undefined;
    const slot =
      this.#dense === undefined
        ? this.#sparse.pick(from, end, random)
        : this.#dense.pick(Number(from), Number(end), random);
    return slot === undefined ? undefined : this.first + BigInt(slot);
  }

  #hasSlot(address: bigint): boolean {
    return address >= this.first && address < this.first + this.size;
  }
}

/** A sixteenth of the network, at least 16 and at most 256; nothing of one that is no larger than that. */
function staticAddresses(total: bigint): bigint {
  if (total <= 16n) return 0n;
  const share = total / 16n;
  return share < 16n ? 16n : share > 256n ? 256n : share;
}
