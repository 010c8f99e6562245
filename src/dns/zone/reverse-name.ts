// The names under which addresses are looked up: 4.3.2.1.in-addr.arpa, and 32 digits before ip6.arpa.

import { formatIp, type IpAddress } from "../../meta/ip.ts";
import type { DomainName } from "../message/message.ts";

/** The address in its canonical form, of a name in lower case; undefined when it is the name of none. */
export function addressOfReverseName(name: DomainName): string | undefined {
  if (name.length === 6 && name[4] === "in-addr" && name[5] === "arpa") return formatted(4, octets(name.slice(0, 4)));
  if (name.length === 34 && name[32] === "ip6" && name[33] === "arpa") return formatted(6, nibbles(name.slice(0, 32)));
  return undefined;
}

function octets(labels: DomainName): number[] | undefined {
  if (!labels.every((label) => /^(?:0|[1-9][0-9]{0,2})$/.test(label) && Number(label) <= 255)) return undefined;
  return labels.map(Number).reverse();
}

function nibbles(labels: DomainName): number[] | undefined {
  if (!labels.every((label) => /^[0-9a-f]$/.test(label))) return undefined;
  const digits = [...labels].reverse();
  return Array.from({ length: 16 }, (_, index) => Number.parseInt(digits[2 * index]! + digits[2 * index + 1]!, 16));
}

function formatted(family: IpAddress["family"], bytes: readonly number[] | undefined): string | undefined {
  return bytes === undefined ? undefined : formatIp({ family, bytes: Uint8Array.from(bytes), zone: "" });
}
