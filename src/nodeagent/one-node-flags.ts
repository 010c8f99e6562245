// The flags of `plinth up` for the machine as a node of its own cluster.

import { boolFlag, pathFlag, textFlag } from "../base/flag-values.ts";
import type { OptionsOf } from "../base/flags.ts";
import { agentFlags } from "./agent-flags.ts";

export const oneNodeFlags = {
  node: boolFlag({
    default: false,
    doc: "Makes this machine a node: its agent, the proxy of Services and the cluster's DNS. Needs root and a container runtime.",
  }),
  containerRuntimeEndpoint: textFlag({
    default: "unix:///run/containerd/containerd.sock",
    doc: "The socket of the container runtime.",
  }),
  nodeRootDir: pathFlag({ default: undefined, doc: "Where the node keeps its files; <data-dir>/node when not set." }),
  nodeConfigDir: pathFlag({
    default: undefined,
    doc: "Folder of drop-ins for the configuration of the node's agent: files ending in .conf.",
  }),
  hostnameOverride: agentFlags.hostnameOverride,
  nodeIp: agentFlags.nodeIp,
  clusterDomain: textFlag({ default: "cluster.local", doc: "The domain of the cluster's names." }),
} as const;

export type OneNodeOptions = OptionsOf<typeof oneNodeFlags>;
