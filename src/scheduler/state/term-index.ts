// Terms of placed pods about other pods. Pods of one workload share theirs: a new pod is held against each term once, not
// against each pod that has it.

import type { NodeInfo } from "./node-info.ts";
import { PodCounts } from "./pod-counts.ts";
import type { AffinityTerm } from "./pod-info.ts";

interface IndexedTerm {
  readonly term: AffinityTerm;
  readonly weight: number;
  /** Pods that have it. */
  readonly pods: PodCounts;
}

export class TermIndex {
  readonly #terms = new Map<string, IndexedTerm>();

  change(term: AffinityTerm, weight: number, node: NodeInfo, by: 1 | -1): void {
    const key = `${weight}\n${term.text}`;
    let indexed = this.#terms.get(key);
    if (indexed === undefined) {
      indexed = { term, weight, pods: new PodCounts() };
      this.#terms.set(key, indexed);
    }
    indexed.pods.change(node, by);
    if (indexed.pods.byNode.size === 0) this.#terms.delete(key);
  }

  all(): Iterable<IndexedTerm> {
    return this.#terms.values();
  }
}
