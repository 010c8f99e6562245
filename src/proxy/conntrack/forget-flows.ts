// The conntrack tool: makes the kernel forget UDP flows, so that their next packet is judged anew.

import { execFile } from "node:child_process";
import type { StaleFlows } from "./stale-flows.ts";

/** The tool is not there, or refuses; what it says. */
export class ConntrackError extends Error {
  override readonly name = "ConntrackError";
}

const TIMEOUT_MS = 30_000;
const MAX_MESSAGE_CHARS = 500;

/** The arguments with which conntrack deletes these flows. */
export function conntrackArguments({ family, ip, port, backendIp }: StaleFlows): string[] {
  const flows = ["-D", "-f", family === 4 ? "ipv4" : "ipv6", "-p", "udp", "--dport", String(port)];
  if (ip !== undefined) flows.push("--orig-dst", ip);
  if (backendIp !== undefined) flows.push("--dst-nat", backendIp);
  return flows;
}

/** Fails with ConntrackError. That there were no such flows is no failure. */
export function forgetFlows(flows: StaleFlows): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile("conntrack", conntrackArguments(flows), { timeout: TIMEOUT_MS, encoding: "utf8" }, (error, _, stderr) => {
      if (error === null || /\b0 flow entries have been deleted/.test(stderr)) return resolve();
      const why = (stderr || error.message).slice(0, MAX_MESSAGE_CHARS).trim();
      reject(new ConntrackError(`conntrack: ${why}`, { cause: error }));
    });
  });
}
