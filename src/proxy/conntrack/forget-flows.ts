// The conntrack tool: makes the kernel forget UDP flows, so that their next packet is judged anew.

import { execFile } from "node:child_process";
import type { Family } from "../rules/backends.ts";
import { type Flow, readFlows, staleAmong } from "./present-flows.ts";
import type { StaleFlows } from "./stale-flows.ts";

/** The tool is not there, or refuses; what it says. */
class ConntrackError extends Error {
  override readonly name = "ConntrackError";
}

/** How many there were, of one family. Fails with ConntrackError. That there are no such flows is no failure. */
export async function forgetFlows(family: Family, stale: readonly StaleFlows[]): Promise<number> {
  const present = readFlows(await conntrack(["-L", ...ofFamily(family)]));
  let count = 0;
  for (const flow of staleAmong(present, stale)) count += lineCount(await conntrack(conntrackArguments(family, flow)));
  return count;
}

/** The tool tells of each flow in a line. */
const lineCount = (text: string): number => text.split("\n").length - 1;

/** The arguments with which conntrack deletes these flows of all clients. */
export function conntrackArguments(family: Family, { ip, port, backend }: Flow): string[] {
  const asked = ["--orig-dst", ip, "--orig-port-dst", String(port)];
  return ["-D", ...ofFamily(family), ...asked, "--reply-src", backend.ip, "--reply-port-src", String(backend.port)];
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
