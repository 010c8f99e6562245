// How many pods that a selector matches are on each node: counted once when somebody asks, and kept up with every pod that
// comes and goes from then on. So a pod of a workload of thousands looks at nodes, not at pods.

import { BoundedCache } from "../../base/bounded-cache.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import type { NodeInfo } from "./node-info.ts";
import { PodCounts } from "./pod-counts.ts";
import type { PodInfo } from "./pod-info.ts";

export interface PlacedPod {
  readonly info: PodInfo;
  readonly node: NodeInfo;
}

interface Kept {
  readonly namespace: string;
  readonly counts: PodCounts;
  matches(pod: PodInfo): boolean;
}

/** More questions than this are not remembered: those asked longest ago are forgotten. */
const MAX_KEPT = 1_000;

export class MatchCounts {
  readonly #podsOf: (namespace: string) => Iterable<PlacedPod>;
  readonly #kept = new BoundedCache<string, Kept>({ maxEntries: MAX_KEPT, onEvict: (_, kept) => this.#forget(kept) });
  readonly #byNamespace = new Map<string, Set<Kept>>();

  constructor(podsOf: (namespace: string) => Iterable<PlacedPod>) {
    this.#podsOf = podsOf;
  }

  /** Pods of a namespace; without those that are being deleted, where told. */
  bySelector(
    namespace: string,
    selector: LabelSelector,
    { skipsTerminating }: { skipsTerminating: boolean },
  ): PodCounts {
    return this.#counts(
      `${namespace}\n${skipsTerminating}\n${selector.text}`,
      namespace,
      ({ labels, isTerminating }) => {
        return !(skipsTerminating && isTerminating) && selector.matches(labels);
      },
    );
  }

  /** Pods of one controller, without those that are being deleted. */
  byOwner(namespace: string, uid: string): PodCounts {
    return this.#counts(`${namespace}\nowner\n${uid}`, namespace, ({ ownerUid, isTerminating }) => {
      return ownerUid === uid && !isTerminating;
    });
  }

  change({ info, node }: PlacedPod, by: 1 | -1): void {
    for (const kept of this.#byNamespace.get(info.namespace) ?? [])
      if (kept.matches(info)) kept.counts.change(node, by);
  }

  #counts(key: string, namespace: string, matches: (pod: PodInfo) => boolean): PodCounts {
    return this.#kept.getOrMake(key, () => this.#count(namespace, matches)).counts;
  }

  #count(namespace: string, matches: (pod: PodInfo) => boolean): Kept {
    const kept = { namespace, counts: new PodCounts(), matches };
    for (const { info, node } of this.#podsOf(namespace)) if (matches(info)) kept.counts.change(node, 1);
    let sameNamespace = this.#byNamespace.get(namespace);
    if (sameNamespace === undefined) {
      sameNamespace = new Set();
      this.#byNamespace.set(namespace, sameNamespace);
    }
    sameNamespace.add(kept);
    return kept;
  }

  #forget(kept: Kept): void {
    const sameNamespace = this.#byNamespace.get(kept.namespace);
    sameNamespace?.delete(kept);
    if (sameNamespace?.size === 0) this.#byNamespace.delete(kept.namespace);
  }
}
