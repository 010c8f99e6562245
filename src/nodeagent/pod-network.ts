// The network of pods on a machine of one's own: found, or made when there is none.

import { execFile } from "node:child_process";
import { access, constants, mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import { connectCri } from "./cri/cri-client.ts";
import { socketPathOf } from "./cri/endpoint.ts";
import { bridgeNetworkText, foreignNetwork, NETWORK_FILE, NETWORK_PLUGINS } from "./network/bridge-network.ts";
import { networkFolders } from "./network/runtime-folders.ts";

export interface PodNetworkPlace {
  /** Where the runtime looks for networks. */
  readonly folder: string;
  /** The file of a network that is there already and stays as it is. */
  readonly foreign: string | undefined;
}

interface PodNetworkSettings {
  /** The node's part of the cluster. */
  readonly podCidrs: readonly string[];
  readonly leaseDir: string;
  readonly log: Log;
}

const ANSWER_TIMEOUT_MS = 10_000;

/** Asks the runtime. Fails with StartError where it does not answer, or a network could not be made. */
export async function findPodNetwork(endpoint: string, clock: Clock): Promise<PodNetworkPlace> {
  const flag = `--container-runtime-endpoint ${endpoint}`;
  const runtimeSocket = socketPathOf(endpoint);
  if (runtimeSocket === undefined) throw new StartError(`${flag}: write unix:///PATH/OF/SOCKET`);
  const isThere = await can(runtimeSocket, constants.F_OK);
  if (!isThere)
    throw new StartError(`${flag}: there is no container runtime: install and start containerd, or name its socket`);
  const cri = connectCri({ runtimeSocket, timeoutMs: ANSWER_TIMEOUT_MS, clock });
  try {
    const { info } = await cri.status({ verbose: true });
    const { configuration, plugins } = networkFolders(info);
    const foreign = foreignNetwork(await readdir(configuration).catch(() => []));
    if (foreign === undefined) await checkPlugins(plugins);
    return { folder: configuration, foreign };
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw new StartError(`${flag}: the container runtime does not answer: ${(error as Error).message}`);
  } finally {
    cri.close();
  }
}

/** Writes the network where there is none of others. */
export async function setUpPodNetwork(
  place: PodNetworkPlace,
  { podCidrs, leaseDir, log }: PodNetworkSettings,
): Promise<void> {
  if (place.foreign !== undefined) return;
  const masquerade = await isInPath("iptables");
  if (!masquerade)
    log.warn({}, "there is no iptables: pods reach nothing outside of this machine, and have no host ports");
  const file = join(place.folder, NETWORK_FILE);
  const text = bridgeNetworkText({ podCidrs, leaseDir, masquerade });
  if ((await readFile(file, "utf8").catch(() => "")) === text) return;
  await mkdir(place.folder, { recursive: true });
  // The runtime reads at once what it sees: whole or not at all.
  const temporary = `${file}.tmp`;
  await writeFile(temporary, text);
  await rename(temporary, file);
  log.info({ file, podCidrs }, "the network of pods is set up");
}

/** What must be on: packets that are others', and those between two pods of one bridge seen by the rules of Services. */
const SWITCHES: readonly (readonly [file: string, mustBeThere: boolean])[] = [
  ["/proc/sys/net/ipv4/ip_forward", true],
  ["/proc/sys/net/ipv6/conf/all/forwarding", false],
  ["/proc/sys/net/bridge/bridge-nf-call-iptables", true],
  ["/proc/sys/net/bridge/bridge-nf-call-ip6tables", false],
];

/** Has the kernel hand on what is meant for pods and Services; a warning says where it does not. */
export async function handPacketsOn(log: Log): Promise<void> {
  if (!(await can("/proc/sys/net/bridge", constants.F_OK)))
    await promisify(execFile)("modprobe", ["br_netfilter"]).catch(() => undefined);
  for (const [file, mustBeThere] of SWITCHES) {
    try {
      if ((await readFile(file, "utf8")).trim() !== "1") await writeFile(file, "1");
    } catch (error) {
      if (mustBeThere)
        log.warn({ err: error, file }, "cannot be switched on: pods may not reach each other by Services");
    }
  }
}

async function checkPlugins(folders: readonly string[]): Promise<void> {
  const missing: string[] = [];
  for (const plugin of NETWORK_PLUGINS) {
    const found = await Promise.all(folders.map((folder) => can(join(folder, plugin), constants.X_OK)));
    if (!found.includes(true)) missing.push(plugin);
  }
  if (missing.length > 0)
    throw new StartError(
      `--node: there are no network plug-ins ${missing.join(", ")} in ${folders.join(", ")}: install them (on Debian the ` +
        "package containernetworking-plugins), or name their folder in the configuration of the container runtime",
    );
}

async function isInPath(program: string): Promise<boolean> {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = await Promise.all(folders.map((folder) => can(join(folder, program), constants.X_OK)));
  return found.includes(true);
}

async function can(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}
