// The servers that a machine asks: `nameserver` lines of its resolv.conf.

import { formatIp, parseIp } from "../../meta/ip.ts";

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
