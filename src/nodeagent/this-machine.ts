// What a machine is called as a node, and where it is reached: as the agent itself finds it.

import { StartError } from "../base/start-error.ts";
import { isLoopback, parseIp } from "../meta/ip.ts";
import { dns1123SubdomainProblems } from "../meta/name-formats.ts";
import { internalIps } from "./node/addresses.ts";
import { machineHostname, measureMachine } from "./node/machine.ts";

export interface ThisMachine {
  readonly nodeName: string;
  /** At least one. */
  readonly nodeIps: readonly string[];
}

/** Fails with StartError on a name that no node can have, and where only the machine itself could reach it: pods could not. */
export async function findThisMachine({
  hostnameOverride,
  nodeIp,
  rootDir,
}: {
  readonly hostnameOverride: string | undefined;
  readonly nodeIp: readonly string[];
  readonly rootDir: string;
}): Promise<ThisMachine> {
  const nodeName = hostnameOverride ?? machineHostname().toLowerCase();
  // Files are called by it.
  const [problem] = dns1123SubdomainProblems(nodeName);
  if (problem !== undefined) throw new StartError(`--hostname-override: ${JSON.stringify(nodeName)}: ${problem}`);
  const machine = await measureMachine(rootDir, undefined);
  const nodeIps = internalIps(nodeName, nodeIp, machine);
  const [first] = nodeIps;
  const ip = first === undefined ? undefined : parseIp(first);
  if (ip === undefined || isLoopback(ip))
    throw new StartError("--node: this machine has no address that pods can reach: name one with --node-ip");
  return { nodeName, nodeIps };
}
