// The flags of the proxy. What they say wins over the configuration file.

import { boolFlag, choiceFlag, listFlag, mapFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import type { JsonObject } from "../base/json.ts";
import { cidrElementProblem } from "../meta/flag-values.ts";
import { parseCidr, parseIp } from "../meta/ip.ts";
import { gateSettings } from "../options/gate-settings.ts";
import { DETECT_LOCAL_MODES, PRIMARY } from "./nft/table-settings.ts";

type ProxyOptions = OptionsOf<typeof proxyFlags>;

export const proxyFlags = {
  config: pathFlag({ default: undefined, doc: "The configuration file." }),
  cleanup: boolFlag({ default: false, doc: "Remove the rules of the proxy, and end." }),
  hostnameOverride: textFlag({ default: undefined, doc: "The name of the node, instead of that of the machine." }),
  nodeIp: listFlag({
    maxLength: 2,
    problem: (text) => (parseIp(text) === undefined ? "is not an IP address" : undefined),
    doc: "Addresses of the node, one of each family; those of the Node object when not set.",
  }),
  clusterCidr: listFlag({
    maxLength: 2,
    problem: cidrElementProblem,
    doc: "Networks of pods, one of each family: what comes from elsewhere to a cluster IP gets the address of the node.",
  }),
  detectLocalMode: choiceFlag({
    choices: DETECT_LOCAL_MODES,
    default: undefined,
    doc: "How traffic of pods is told from other traffic. ClusterCIDR when not set.",
  }),
  masqueradeAll: boolFlag({
    default: undefined,
    doc: "Give everything to cluster IPs the address of the node.",
  }),
  nodeportAddresses: listFlag({
    problem: (text) =>
      text === PRIMARY || parseCidr(text) !== undefined
        ? undefined
        : `is neither a network such as 10.0.0.0/8 nor ${PRIMARY}`,
    doc: `Networks whose addresses of this machine serve node ports, or ${PRIMARY} for the addresses of the node.`,
  }),
  healthzBindAddress: textFlag({
    default: undefined,
    placeholder: "ADDRESS:PORT",
    doc: "Where /healthz and /livez are; empty: nowhere. 0.0.0.0:10256 when not set.",
  }),
  metricsBindAddress: textFlag({
    default: undefined,
    placeholder: "ADDRESS:PORT",
    doc: "Where /metrics and /configz are; empty: nowhere. 127.0.0.1:10249 when not set.",
  }),
  featureGates: mapFlag({
    missingValue: (gate) => `missing bool value for feature gate ${gate}: write ${gate}=true or ${gate}=false`,
    doc: "Features to switch on or off: Name=true,Other=false.",
  }),
} as const;

/** What flags say, in the form of the configuration file. */
export function configurationOf(options: ProxyOptions): JsonObject {
  const { hostnameOverride, clusterCidr, detectLocalMode, masqueradeAll, nodeportAddresses } = options;
  const { healthzBindAddress, metricsBindAddress, featureGates } = options;
  return {
    ...(featureGates.size === 0 ? {} : { featureGates: gateSettings(featureGates) }),
    ...(hostnameOverride === undefined ? {} : { hostnameOverride }),
    ...(clusterCidr.length === 0 ? {} : { clusterCIDR: clusterCidr.join(",") }),
    ...(detectLocalMode === undefined ? {} : { detectLocalMode }),
    ...(masqueradeAll === undefined ? {} : { nftables: { masqueradeAll } }),
    ...(nodeportAddresses.length === 0 ? {} : { nodePortAddresses: [...nodeportAddresses] }),
    ...(healthzBindAddress === undefined ? {} : { healthzBindAddress }),
    ...(metricsBindAddress === undefined ? {} : { metricsBindAddress }),
  };
}
