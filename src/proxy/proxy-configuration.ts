// The configuration of the proxy: a file (--config), over it what flags say. Fields are spelled as upstream's, and
// nftables.skipKernelVersionCheck as document 3 spells it ("Kernel requirements (Linux)").

import { readFileSync } from "node:fs";
import type { JsonObject } from "../base/json.ts";
import { StartError } from "../base/start-error.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { parseCidr } from "../meta/ip.ts";
import { PROXY_CONFIGURATIONS } from "../meta/names.ts";
import { completeStruct, usableStruct } from "../options/complete-config.ts";
import { f, type StructOf } from "../options/config-fields.ts";
import { ConfigError, readDocument } from "../options/read-config.ts";
import { parseHostPort } from "./health/http-port.ts";
import { DETECT_LOCAL_MODES, PRIMARY } from "./nft/table-settings.ts";

const fields = {
  /** Ends when a port cannot be had, instead of going on without it. */
  bindAddressHardFail: f.bool(false),
  /** Networks of pods, comma-separated: one of each family. */
  clusterCIDR: f.string(""),
  detectLocal: f.struct({ bridgeInterface: f.string(""), interfaceNamePrefix: f.string("") }),
  detectLocalMode: f.choice(DETECT_LOCAL_MODES, "ClusterCIDR"),
  /** Empty: nowhere. */
  healthzBindAddress: f.string("0.0.0.0:10256"),
  hostnameOverride: f.string(""),
  /** Empty: nowhere. */
  metricsBindAddress: f.string("127.0.0.1:10249"),
  mode: f.choice(["", "nftables"], ""),
  nftables: f.struct({
    masqueradeAll: f.bool(false),
    masqueradeBit: f.int(14),
    minSyncPeriod: f.duration("1s"),
    skipKernelVersionCheck: f.bool(false),
    syncPeriod: f.duration("30s"),
  }),
  nodePortAddresses: f.list(f.string("")),
} as const;

export type ProxyConfiguration = StructOf<typeof fields>;

export const DEFAULT_CONFIGURATION: ProxyConfiguration = complete({});

const MAX_FILE_BYTES = 1024 * 1024;

/** `flags` in the form of a file; they win over it. Fails with StartError, which names flag, file and field. */
export function loadConfiguration(file: string | undefined, flags: JsonObject): ProxyConfiguration {
  const source = file === undefined ? "flags" : `--config: ${file}`;
  const layer = file === undefined ? {} : readFile(file, source);
  const nftables = { ...(layer["nftables"] as JsonObject), ...(flags["nftables"] as JsonObject) };
  const configuration = complete({ ...layer, ...flags, nftables });
  const problem = problemOf(configuration);
  if (problem !== undefined) throw new StartError(`${source}: ${problem}`);
  return configuration;
}

function complete(layer: JsonObject): ProxyConfiguration {
  return usableStruct(fields, completeStruct(fields, layer)) as ProxyConfiguration;
}

function readFile(file: string, source: string): JsonObject {
  try {
    const bytes = readFileSync(file);
    if (bytes.byteLength > MAX_FILE_BYTES) throw new ConfigError("", `is larger than ${MAX_FILE_BYTES} bytes`);
    return readDocument(decodeYaml(bytes), PROXY_CONFIGURATIONS, fields);
  } catch (error) {
    const isKnown = error instanceof ConfigError || error instanceof DecodeError;
    if (isKnown || (error instanceof Error && "syscall" in error))
      throw new StartError(`${source}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Names of interfaces go into rules: only what the kernel takes and nft reads without quotes of its own. */
const INTERFACE_NAME = /^[A-Za-z0-9_.-]{1,15}$/;
const MAX_MASQUERADE_BIT = 31;

function problemOf(configuration: ProxyConfiguration): string | undefined {
  const { clusterCIDR, detectLocal, detectLocalMode, nftables, nodePortAddresses } = configuration;
  const { masqueradeBit, minSyncPeriodMs, syncPeriodMs } = nftables;
  for (const cidr of clusterCIDR === "" ? [] : clusterCIDR.split(","))
    if (parseCidr(cidr.trim()) === undefined)
      return `clusterCIDR: ${JSON.stringify(cidr)} is not a network such as 10.0.0.0/8`;
  for (const cidr of nodePortAddresses)
    if (cidr !== PRIMARY && parseCidr(cidr) === undefined)
      return `nodePortAddresses: ${JSON.stringify(cidr)} is neither a network such as 10.0.0.0/8 nor "${PRIMARY}"`;
  if (detectLocalMode === "BridgeInterface" && !INTERFACE_NAME.test(detectLocal.bridgeInterface))
    return "detectLocal.bridgeInterface: must be the name of an interface with detectLocalMode BridgeInterface";
  if (detectLocalMode === "InterfaceNamePrefix" && !INTERFACE_NAME.test(detectLocal.interfaceNamePrefix))
    return "detectLocal.interfaceNamePrefix: must begin names of interfaces with detectLocalMode InterfaceNamePrefix";
  if (masqueradeBit < 0 || masqueradeBit > MAX_MASQUERADE_BIT)
    return `nftables.masqueradeBit: must be between 0 and ${MAX_MASQUERADE_BIT}`;
  if (syncPeriodMs <= 0) return "nftables.syncPeriod: must be greater than 0";
  if (minSyncPeriodMs < 0 || minSyncPeriodMs > syncPeriodMs)
    return "nftables.minSyncPeriod: must be between 0 and nftables.syncPeriod";
  for (const name of ["healthzBindAddress", "metricsBindAddress"] as const)
    if (configuration[name] !== "" && parseHostPort(configuration[name]) === undefined)
      return `${name}: ${JSON.stringify(configuration[name])} is not an address and port such as 0.0.0.0:10256`;
  return undefined;
}
