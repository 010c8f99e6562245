// Networks as nft takes them in one set: none within another.

import { type Cidr, cidrContainsCidr, compareIps, maskCidr, parseCidr } from "../../meta/ip.ts";
import type { Family } from "./backends.ts";

/** Those of the family, sorted, without those that others contain. Texts that are no networks are passed over. */
export function apartCidrs(texts: readonly string[], family: Family): Cidr[] {
  const cidrs = texts
    .flatMap((text) => parseCidr(text.trim()) ?? [])
    .filter(({ ip }) => ip.family === family)
    .map(maskCidr)
    .sort((a, b) => compareIps(a.ip, b.ip) || a.prefixLength - b.prefixLength);
  const apart: Cidr[] = [];
  // In this order a network follows the one that contains it.
  for (const cidr of cidrs) {
    const last = apart.at(-1);
    if (last === undefined || !cidrContainsCidr(last, cidr)) apart.push(cidr);
  }
  return apart;
}
