// The configuration of the proxy: a file (--config), over it what flags say. Fields are spelled as upstream's, and
// nftables.skipKernelVersionCheck as document 3 spells it ("Kernel requirements (Linux)").

import type { JsonObject } from "../base/json.ts";
import { readSmallFileSync, UnfitFile } from "../base/read-small-file.ts";
import { StartError } from "../base/start-error.ts";
import { DecodeError } from "../codec/decode-error.ts";
import { decodeYaml } from "../codec/yaml.ts";
import { parseCidr, parseIp } from "../meta/ip.ts";
import { PROXY_CONFIGURATIONS } from "../meta/names.ts";
import { completeStruct, usableStruct } from "../options/complete-config.ts";
import { f, type StructOf } from "../options/config-fields.ts";
import { LOGGING_WITHOUT_EFFECT, loggingFields } from "../options/logging-fields.ts";
import { ConfigError, readDocument } from "../options/read-config.ts";
import { unusedFields } from "../options/unused-fields.ts";
import { parseHostPort } from "./health/http-port.ts";
import { DETECT_LOCAL_MODES, PRIMARY } from "./nft/table-settings.ts";

const fields = {
  /** The address of the node, when it is not that of its Node object; 0.0.0.0 and :: say nothing. */
  bindAddress: f.string("0.0.0.0"),
  /** Ends when a port cannot be had, instead of going on without it. */
  bindAddressHardFail: f.bool(false),
  /** Networks of pods, comma-separated: one of each family. */
  clusterCIDR: f.string(""),
  clientConnection: f.struct({
    acceptContentTypes: f.string(""),
    burst: f.int(10),
    contentType: f.string(""),
    /** The server, where --kubeconfig does not say it. */
    kubeconfig: f.string(""),
    qps: f.number(5),
  }),
  configSyncPeriod: f.duration("15m"),
  /** What the kernel keeps in mind of connections; 0: as much as it likes. */
  conntrack: f.struct({
    maxPerCore: f.int(32 * 1024),
    min: f.int(128 * 1024),
    tcpBeLiberal: f.bool(false),
    tcpCloseWaitTimeout: f.duration("1h"),
    tcpEstablishedTimeout: f.duration("24h"),
    udpStreamTimeout: f.duration("0s"),
    udpTimeout: f.duration("0s"),
  }),
  detectLocal: f.struct({ bridgeInterface: f.string(""), interfaceNamePrefix: f.string("") }),
  detectLocalMode: f.choice(DETECT_LOCAL_MODES, "ClusterCIDR"),
  enableProfiling: f.bool(false),
  featureGates: f.map(f.bool(false)),
  /** Empty: nowhere. */
  healthzBindAddress: f.string("0.0.0.0:10256"),
  hostnameOverride: f.string(""),
  iptables: f.struct({
    localhostNodePorts: f.bool(true),
    masqueradeAll: f.bool(false),
    masqueradeBit: f.int(14),
    minSyncPeriod: f.duration("1s"),
    syncPeriod: f.duration("30s"),
  }),
  ipvs: f.struct({
    excludeCIDRs: f.list(f.string("")),
    minSyncPeriod: f.duration("0s"),
    scheduler: f.string(""),
    strictARP: f.bool(false),
    syncPeriod: f.duration("30s"),
    tcpFinTimeout: f.duration("0s"),
    tcpTimeout: f.duration("0s"),
    udpTimeout: f.duration("0s"),
  }),
  logging: f.struct(loggingFields),
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
  oomScoreAdj: f.int(-999),
  portRange: f.string(""),
  showHiddenMetricsForVersion: f.string(""),
  windowsRunAsService: f.bool(false),
  winkernel: f.struct({
    enableDSR: f.bool(false),
    forwardHealthCheckVip: f.bool(false),
    networkName: f.string(""),
    rootHnsEndpointName: f.string(""),
    sourceVip: f.string(""),
  }),
} as const;

/** Known, because files of clusters have them, but of other ways to forward traffic, or nothing acts on them. */
const FIELDS_WITHOUT_EFFECT: readonly string[] = [
  ...LOGGING_WITHOUT_EFFECT,
  "clientConnection.acceptContentTypes",
  "clientConnection.contentType",
  "configSyncPeriod",
  "iptables",
  "ipvs",
  "portRange",
  "windowsRunAsService",
  "winkernel",
];

export type ProxyConfiguration = StructOf<typeof fields>;

export const DEFAULT_CONFIGURATION = usableStruct(fields, completeStruct(fields, {})) as ProxyConfiguration;

const MAX_FILE_BYTES = 1024 * 1024;

interface LoadedConfiguration {
  readonly configuration: ProxyConfiguration;
  /** What /configz shows. */
  readonly shown: JsonObject;
  /** Fields that are set though nothing acts on them. */
  readonly unused: readonly string[];
}

/** `flags` in the form of a file; they win over it. Fails with StartError, which names flag, file and field. */
export function loadConfiguration(file: string | undefined, flags: JsonObject): LoadedConfiguration {
  const source = file === undefined ? "flags" : `--config: ${file}`;
  const layer = file === undefined ? {} : readLayer(file, source);
  const within = (field: string) => ({ [field]: { ...(layer[field] as JsonObject), ...(flags[field] as JsonObject) } });
  const shown = completeStruct(fields, { ...layer, ...flags, ...within("nftables"), ...within("featureGates") });
  const configuration = usableStruct(fields, shown) as ProxyConfiguration;
  const problem = problemOf(configuration);
  if (problem !== undefined) throw new StartError(`${source}: ${problem}`);
  const unused = unusedFields(FIELDS_WITHOUT_EFFECT, shown, completeStruct(fields, {}));
  return { configuration, shown, unused };
}

function readLayer(file: string, source: string): JsonObject {
  try {
    const bytes = readSmallFileSync(file, MAX_FILE_BYTES);
    return readDocument(decodeYaml(bytes), PROXY_CONFIGURATIONS, fields);
  } catch (error) {
    const isKnown = error instanceof ConfigError || error instanceof DecodeError || error instanceof UnfitFile;
    if (isKnown || (error instanceof Error && "syscall" in error))
      throw new StartError(`${source}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** Names of interfaces go into rules: only what the kernel takes and nft reads without quotes of its own. */
const INTERFACE_NAME = /^[A-Za-z0-9_.-]{1,15}$/;
const MAX_MASQUERADE_BIT = 31;
const MAX_OOM_SCORE = 1_000;

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
  if (parseIp(configuration.bindAddress) === undefined)
    return `bindAddress: ${JSON.stringify(configuration.bindAddress)} is not an IP address`;
  if (Math.abs(configuration.oomScoreAdj) > MAX_OOM_SCORE)
    return `oomScoreAdj: must be between -${MAX_OOM_SCORE} and ${MAX_OOM_SCORE}`;
  for (const [name, value] of Object.entries(configuration.conntrack))
    if (Number(value) < 0) return `conntrack.${name.replace(/Ms$/, "")}: must be greater than or equal to 0`;
  return undefined;
}
