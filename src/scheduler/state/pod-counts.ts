// How many pods of some sort are on each node, and in each domain of a topology that somebody has asked about.

import type { NodeInfo } from "./node-info.ts";

export class PodCounts {
  readonly #byNode = new Map<NodeInfo, number>();
  /** topology key -> domain -> pods */
  readonly #byDomain = new Map<string, Map<string, number>>();

  /** Nodes without any are not there. */
  get byNode(): ReadonlyMap<NodeInfo, number> {
    return this.#byNode;
  }

  /** A node must have the labels that it had when its pods were added: see ClusterState.setNode. */
  change(node: NodeInfo, by: 1 | -1): void {
    bump(this.#byNode, node, by);
    for (const [topologyKey, domains] of this.#byDomain)
      if (Object.hasOwn(node.labels, topologyKey)) bump(domains, node.labels[topologyKey]!, by);
  }

  /** Domains without any are not there. */
  inDomains(topologyKey: string): ReadonlyMap<string, number> {
    let domains = this.#byDomain.get(topologyKey);
    if (domains === undefined) {
      domains = new Map();
      for (const [{ labels }, count] of this.#byNode)
        if (Object.hasOwn(labels, topologyKey)) bump(domains, labels[topologyKey]!, count);
      this.#byDomain.set(topologyKey, domains);
    }
    return domains;
  }
}

function bump<K>(counts: Map<K, number>, key: K, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
