// Which of many flows that should be forgotten are there at all. Pure.
//
//   udp 17 29 src=10.1.1.2 dst=10.96.0.10 sport=4000 dport=53 [UNREPLIED] src=10.1.2.2 dst=10.1.1.2 sport=8080 dport=4000 ...
//             \_ what was asked: the Service ____________/              \_ who answers: the backend

import type { StaleFlows } from "./stale-flows.ts";

interface Flow {
  readonly ip: string;
  readonly port: number;
  readonly backendIp: string;
}

const FLOW = /\bsrc=\S+ dst=(\S+) sport=\d+ dport=(\d+) (?:packets=\d+ bytes=\d+ )?(?:\[UNREPLIED\] )?src=(\S+)/;

/** What `conntrack -L` says; other lines are passed over. */
export function* readFlows(listing: string): Generator<Flow> {
  for (let start = 0; start < listing.length; ) {
    const end = listing.indexOf("\n", start);
    const line = listing.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? listing.length : end + 1;
    const match = FLOW.exec(line);
    if (match !== null) yield { ip: match[1]!, port: Number(match[2]), backendIp: match[3]! };
  }
}

/** Those of one family that at least one flow is of. */
export function presentFlows(stale: readonly StaleFlows[], flows: Iterable<Flow>): StaleFlows[] {
  const byId = new Map<string, StaleFlows>(stale.map((each) => [idOf(each), each]));
  const found = new Set<StaleFlows>();
  for (const { ip, port, backendIp } of flows)
    for (const address of [ip, undefined])
      for (const backend of [backendIp, undefined]) {
        const known = byId.get(idOf({ ip: address, port, backendIp: backend }));
        if (known !== undefined) found.add(known);
      }
  return [...found];
}

function idOf({ ip = "any", port, backendIp = "any" }: Pick<StaleFlows, "ip" | "port" | "backendIp">): string {
  return `${ip} ${port} ${backendIp}`;
}
