// How many connections the kernel keeps in mind, and for how long: the part "conntrack" of the proxy's configuration, as
// upstream's proxy sets it when it starts.

import { readFile, writeFile } from "node:fs/promises";
import type { ProxyConfiguration } from "../proxy-configuration.ts";

/** A number of the kernel, by its file. */
export interface KernelSetting {
  readonly path: string;
  readonly value: number;
  /** Whether a value above this one is left as it is. */
  readonly isLeast?: true;
}

const SETTINGS_DIR = "/proc/sys/net/netfilter";
const BUCKETS_FILE = "/sys/module/nf_conntrack/parameters/hashsize";
const CONNECTIONS_PER_BUCKET = 4;

/** What the configuration asks for; what is 0 there is left to the kernel. */
export function conntrackSettings(conntrack: ProxyConfiguration["conntrack"], cores: number): KernelSetting[] {
  const { maxPerCore, min, tcpBeLiberal } = conntrack;
  const max = maxPerCore === 0 ? 0 : Math.max(maxPerCore * cores, min);
  const seconds = (ms: number) => Math.trunc(ms / 1000);
  const wanted: (readonly [string, number])[] = [
    ["max", max],
    ["tcp_timeout_established", seconds(conntrack.tcpEstablishedTimeoutMs)],
    ["tcp_timeout_close_wait", seconds(conntrack.tcpCloseWaitTimeoutMs)],
    ["tcp_be_liberal", tcpBeLiberal ? 1 : 0],
    ["udp_timeout", seconds(conntrack.udpTimeoutMs)],
    ["udp_timeout_stream", seconds(conntrack.udpStreamTimeoutMs)],
  ];
  const settings: KernelSetting[] = wanted
    .filter(([, value]) => value > 0)
    .map(([name, value]) => ({ path: `${SETTINGS_DIR}/nf_conntrack_${name}`, value }));
  if (max > 0) settings.push({ path: BUCKETS_FILE, value: Math.trunc(max / CONNECTIONS_PER_BUCKET), isLeast: true });
  return settings;
}

/** What could not be set, each with its reason: in a container, or without the module, the kernel refuses. Never fails. */
export async function applySettings(
  settings: readonly KernelSetting[],
  files: SettingFiles = KERNEL,
): Promise<string[]> {
  const problems: string[] = [];
  for (const { path, value, isLeast } of settings) {
    try {
      const now = Number(await files.read(path));
      if (now === value || (isLeast && now > value)) continue;
      await files.write(path, String(value));
    } catch (error) {
      problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return problems;
}

interface SettingFiles {
  read(path: string): Promise<string>;
  write(path: string, text: string): Promise<void>;
}

const KERNEL: SettingFiles = { read: (path) => readFile(path, "utf8"), write: (path, text) => writeFile(path, text) };
