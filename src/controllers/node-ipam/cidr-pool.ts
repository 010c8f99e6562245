// The parts of a network that nodes get, all of one size. Serves node addresses: every pod has one of its node's part.

import {
  type Cidr,
  cidrContainsCidr,
  cidrsOverlap,
  formatCidr,
  ipFromNumber,
  ipToNumber,
  maskCidr,
  parseCidr,
} from "../../meta/ip.ts";

/** A network is cut into so many parts at most. */
export const MAX_PART_BITS = 16;

/** Example: 10.0.0.0/14 in parts of /16 has the slots 0 (10.0.0.0/16) to 3 (10.3.0.0/16). */
export class CidrPool {
  readonly #network: Cidr;
  readonly #partBits: number;
  readonly #slots: number;
  /** How many hold a slot: nodes may have been given the same by others. */
  readonly #holders = new Map<number, number>();
  #next = 0;

  /** At most MAX_PART_BITS between the two sizes. */
  constructor(network: Cidr, partPrefixLength: number) {
    this.#network = maskCidr(network);
    this.#partBits = network.ip.bytes.length * 8 - partPrefixLength;
    this.#slots = 2 ** (partPrefixLength - network.prefixLength);
  }

  /** A part that nobody holds, which is the caller's then; undefined when all are held. What was freed last comes last. */
  take(): string | undefined {
    if (this.#holders.size >= this.#slots) return undefined;
    while (this.#holders.has(this.#next)) this.#next = (this.#next + 1) % this.#slots;
    const slot = this.#next;
    this.#holders.set(slot, 1);
    this.#next = (slot + 1) % this.#slots;
    const { ip } = this.#network;
    const number = ipToNumber(ip) + (BigInt(slot) << BigInt(this.#partBits));
    return formatCidr({ ip: ipFromNumber(number, ip.family), prefixLength: ip.bytes.length * 8 - this.#partBits });
  }

  /** Somebody has it; what is not in this network is nobody's business. */
  hold(cidr: string): void {
    for (const slot of this.#slotsOf(cidr)) this.#holders.set(slot, (this.#holders.get(slot) ?? 0) + 1);
  }

  release(cidr: string): void {
    for (const slot of this.#slotsOf(cidr)) {
      const count = this.#holders.get(slot) ?? 0;
      if (count > 1) this.#holders.set(slot, count - 1);
      else this.#holders.delete(slot);
    }
  }

  /** Every part that a network touches, larger or smaller than they are. */
  *#slotsOf(text: string): Iterable<number> {
    const cidr = parseCidr(text);
    if (cidr === undefined || !cidrsOverlap(this.#network, cidr)) return;
    if (cidrContainsCidr(cidr, this.#network)) {
      for (let slot = 0; slot < this.#slots; slot += 1) yield slot;
      return;
    }
    const bits = BigInt(this.#partBits);
    const start = ipToNumber(this.#network.ip);
    const first = ipToNumber(maskCidr(cidr).ip) - start;
    const last = first + (1n << BigInt(cidr.ip.bytes.length * 8 - cidr.prefixLength)) - 1n;
    for (let slot = Number(first >> bits); slot <= Number(last >> bits); slot += 1) yield slot;
  }
}
