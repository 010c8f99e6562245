// The network of a node's pods as the network plug-ins read it: one bridge, addresses from the node's part of the cluster.

interface BridgeNetwork {
  /** The node's part, one of each family. */
  readonly podCidrs: readonly string[];
  /** Where it is written which address is taken. */
  readonly leaseDir: string;
  /** Whether pods reach others under the address of the node; needs iptables, as host ports do. */
  readonly masquerade: boolean;
}

/** Comes after nothing and before what others install later. */
export const NETWORK_FILE = "10-plinth.conflist";
/** Programs that the network cannot do without. */
export const NETWORK_PLUGINS = ["bridge", "host-local", "loopback"];

/** The content of the file; the same for the same network. */
export function bridgeNetworkText({ podCidrs, leaseDir, masquerade }: BridgeNetwork): string {
  const bridge = {
    type: "bridge",
    bridge: "plinth0",
    isDefaultGateway: true,
    // A pod reaches itself through its Service.
    hairpinMode: true,
    ipMasq: masquerade,
    ipam: { type: "host-local", dataDir: leaseDir, ranges: podCidrs.map((subnet) => [{ subnet }]) },
  };
  const hostPorts = { type: "portmap", capabilities: { portMappings: true }, snat: true };
  const plugins = masquerade ? [bridge, hostPorts] : [bridge];
  return `${JSON.stringify({ cniVersion: "0.4.0", name: "plinth", plugins }, null, 2)}\n`;
}

/** The first file that a runtime takes for a network and that is not ours, among the names of a folder. */
export function foreignNetwork(files: readonly string[]): string | undefined {
  return files.filter((file) => /\.(?:conf|conflist|json)$/.test(file) && file !== NETWORK_FILE).sort()[0];
}
