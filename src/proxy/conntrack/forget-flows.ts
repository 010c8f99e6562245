// The conntrack tool: makes the kernel forget UDP flows, so that their next packet is judged anew.

import { execFile } from "node:child_process";
import type { Family } from "../rules/backends.ts";
import { presentFlows, readFlows } from "./present-flows.ts";
import type { StaleFlows } from "./stale-flows.ts";

/** The tool is not there, or refuses; what it says. */
class ConntrackError extends Error {
  override readonly name = "ConntrackError";
}

/** More than these are first looked for: most Services have no flows, and each call walks through all that there are. */
const MAX_UNSEEN = 8;
const FAMILIES: readonly Family[] = [4, 6];

/** How many there were. Fails with ConntrackError. That there are no such flows is no failure. */
export async function forgetFlows(stale: readonly StaleFlows[]): Promise<number> {
  let count = 0;
  for (const flows of stale.length > MAX_UNSEEN ? await those(stale) : stale)
    count += lineCount(await conntrack(conntrackArguments(flows)));
  return count;
}

/** The tool tells of each flow in a line. */
const lineCount = (text: string): number => text.split("\n").length - 1;

/** The arguments with which conntrack deletes these flows. */
export function conntrackArguments({ family, ip, port, backendIp }: StaleFlows): string[] {
  const flows = ["-D", ...ofFamily(family), "--dport", String(port)];
  if (ip !== undefined) flows.push("--orig-dst", ip);
  if (backendIp !== undefined) flows.push("--dst-nat", backendIp);
  return flows;
}

async function those(stale: readonly StaleFlows[]): Promise<StaleFlows[]> {
  const found: StaleFlows[] = [];
  for (const family of FAMILIES) {
    const wanted = stale.filter((flows) => flows.family === family);
    if (wanted.length === 0) continue;
    for (const flows of presentFlows(wanted, readFlows(await conntrack(["-L", ...ofFamily(family)]))))
      found.push(flows);
  }
  return found;
}

const ofFamily = (family: Family): string[] => ["-f", family === 4 ? "ipv4" : "ipv6", "-p", "udp"];

const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;
const MAX_MESSAGE_CHARS = 500;

function conntrack(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, encoding: "utf8" } as const;
    execFile("conntrack", args, options, (error, stdout, stderr) => {
      if (error === null || /\b0 flow entries have been (?:deleted|shown)/.test(stderr)) return resolve(stdout);
      const why = (stderr || error.message).slice(0, MAX_MESSAGE_CHARS).trim();
      reject(new ConntrackError(`conntrack: ${why}`, { cause: error }));
    });
  });
}
