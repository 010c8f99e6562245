// Which of the flows that there are should be forgotten. Pure.
//
//   udp 17 29 src=10.1.1.2 dst=10.96.0.10 sport=4000 dport=53 [UNREPLIED] src=10.1.2.2 dst=10.1.1.2 sport=8080 dport=4000 ...
//             \_ what was asked: the Service ____________/              \_ who answers: the backend

import type { Target } from "../rules/backends.ts";
import { type StaleFlows, targetText } from "./stale-flows.ts";

/** What the flows of many clients have in common. */
export interface Flow {
  readonly ip: string;
  readonly port: number;
  /** What was asked, where nobody was given to the client. */
  readonly backend: Target;
}

const FLOW =
  /\bsrc=\S+ dst=(\S+) sport=\d+ dport=(\d+) (?:packets=\d+ bytes=\d+ )?(?:\[UNREPLIED\] )?src=(\S+) dst=\S+ sport=(\d+)/;

/** What `conntrack -L` says; other lines are passed over. */
export function* readFlows(listing: string): Generator<Flow> {
  for (let start = 0; start < listing.length; ) {
    const end = listing.indexOf("\n", start);
    const line = listing.slice(start, end < 0 ? undefined : end);
    start = end < 0 ? listing.length : end + 1;
    const match = FLOW.exec(line);
    if (match === null) continue;
    const [, ip = "", port, backendIp = "", backendPort] = match;
    yield { ip, port: Number(port), backend: { ip: backendIp, port: Number(backendPort) } };
  }
}

/** Those that are stale, each once. All are of one family. */
export function staleAmong(flows: Iterable<Flow>, stale: readonly StaleFlows[]): Flow[] {
  const byFrontend = new Map<string, StaleFlows["backends"][]>();
  for (const { ip, port, backends } of stale) {
    const known = byFrontend.get(frontendText(ip, port));
    if (known === undefined) byFrontend.set(frontendText(ip, port), [backends]);
    else known.push(backends);
  }
  const found = new Map<string, Flow>();
  for (const flow of flows) {
    const target = targetText(flow.backend);
    const id = `${flow.ip} ${flow.port} ${target}`;
    if (found.has(id)) continue;
    const rules = [flow.ip, undefined].flatMap((ip) => byFrontend.get(frontendText(ip, flow.port)) ?? []);
    if (rules.some((rule) => ("but" in rule ? !rule.but.has(target) : rule.only.has(target)))) found.set(id, flow);
  }
  return [...found.values()];
}

const frontendText = (ip: string | undefined, port: number): string => `${ip ?? "any"} ${port}`;
