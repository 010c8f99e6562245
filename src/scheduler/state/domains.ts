// The domains of one topology, numbered, and the one that each node is in. A decision asks that of node after node: numbers in
// one piece of memory answer sooner than the labels of as many objects. Of four nodes in zones a, b, a and in none:
//
//   place of the node   0  1  2   3
//   its domain          0  1  0  -1      the domains: a, b

import type { NodeInfo } from "./node-info.ts";

export class Domains {
  readonly topologyKey: string;
  readonly names: readonly string[];
  readonly #byPlace: Int32Array;

  /** As the nodes are now, each at its place. */
  constructor(topologyKey: string, nodes: readonly NodeInfo[]) {
    const numbers = new Map<string, number>();
    this.topologyKey = topologyKey;
    this.#byPlace = Int32Array.from(nodes, ({ labels }) => {
      if (!Object.hasOwn(labels, topologyKey)) return -1;
      const name = labels[topologyKey]!;
      const number = numbers.get(name) ?? numbers.size;
      numbers.set(name, number);
      return number;
    });
    this.names = [...numbers.keys()];
  }

  /** Below zero for a node that is in none, or not there. */
  at(place: number): number {
    return this.#byPlace[place] ?? -1;
  }
}
