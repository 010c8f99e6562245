// How many pods of some sort are on each node, and in each domain of a topology that somebody has asked about.

import type { Domains } from "./domains.ts";
import type { NodeInfo } from "./node-info.ts";

interface CountedDomains {
  readonly domains: Domains;
  /** By number of the domain. */
  readonly pods: Int32Array;
}

export class PodCounts {
  readonly #byNode = new Map<NodeInfo, number>();
  /** By topology key. */
  readonly #counted = new Map<string, CountedDomains>();

  /** Nodes without any are not there. */
  get byNode(): ReadonlyMap<NodeInfo, number> {
    return this.#byNode;
  }

  change(node: NodeInfo, by: 1 | -1): void {
    const count = (this.#byNode.get(node) ?? 0) + by;
    if (count > 0) this.#byNode.set(node, count);
    else this.#byNode.delete(node);
    // Where nodes have changed since, so have their places, and these counts are not asked for any more.
    for (const { domains, pods } of this.#counted.values()) {
      const domain = domains.at(node.place);
      if (domain >= 0) pods[domain]! += by;
    }
  }

  /** Pods by number of the domain. The domains must be those of now. */
  inDomains(domains: Domains): Readonly<Int32Array> {
    const known = this.#counted.get(domains.topologyKey);
    if (known?.domains === domains) return known.pods;
    const pods = new Int32Array(domains.names.length);
    for (const [node, count] of this.#byNode) {
      const domain = domains.at(node.place);
      if (domain >= 0) pods[domain]! += count;
    }
    this.#counted.set(domains.topologyKey, { domains, pods });
    return pods;
  }
}
