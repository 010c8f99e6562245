// The servers that a machine asks: `nameserver` lines of its resolv.conf.

import { formatIp, parseIp } from "../../meta/ip.ts";

interface Place {
  readonly address: string;
  readonly port: number;
}

export const DNS_PORT = 53;

/** Where others are asked. Whoever asks itself asks for ever: `own` are the places that lead to who asks. */
export function othersAmong(nameservers: readonly string[], own: readonly Place[]): Place[] {
  return nameservers
    .map((address) => ({ address, port: DNS_PORT }))
    .filter(({ address, port }) => !own.some((each) => each.address === address && each.port === port));
}

/** As many as the C library takes. */
const MAX_SERVERS = 3;

/** Addresses in the order in which they are asked; what is no address is passed over. */
export function nameserversOf(resolvConf: string): string[] {
  const found: string[] = [];
  for (const line of resolvConf.split("\n")) {
    const [word, text = ""] = line.trim().split(/\s+/, 2);
    const ip = word === "nameserver" ? parseIp(text) : undefined;
    if (ip !== undefined && found.length < MAX_SERVERS) found.push(formatIp(ip));
  }
  return found;
}
