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
  /** The pods that it may match: those of a namespace, or of an owner. */
  readonly group: string;
  readonly counts: PodCounts;
  matches(pod: PodInfo): boolean;
}

/** More questions than this are not remembered: those asked longest ago are forgotten. */
const MAX_KEPT = 1_000;

export class MatchCounts {
  readonly #podsOf: (namespace: string) => Iterable<PlacedPod>;
  readonly #kept = new BoundedCache<string, Kept>({ maxEntries: MAX_KEPT, onEvict: (_, kept) => this.#forget(kept) });
  /** A pod asks none but those of its own groups: owners come and go, and each leaves a question behind. */
  readonly #byGroup = new Map<string, Set<Kept>>();

  constructor(podsOf: (namespace: string) => Iterable<PlacedPod>) {
    this.#podsOf = podsOf;
  }

  /** Pods of a namespace; without those that are being deleted, where told. */
  bySelector(
    namespace: string,
    selector: LabelSelector,
    { skipsTerminating }: { skipsTerminating: boolean },
  ): PodCounts {
    const matches = ({ labels, isTerminating }: PodInfo): boolean =>
      !(skipsTerminating && isTerminating) && selector.matches(labels);
    return this.#counts(`${namespace}\n${skipsTerminating}\n${selector.text}`, namespace, namespace, matches);
  }

  /** Pods of one controller, without those that are being deleted. */
  byOwner(namespace: string, uid: string): PodCounts {
    const group = ownerGroup(namespace, uid);
    return this.#counts(group, namespace, group, ({ ownerUid, isTerminating }) => ownerUid === uid && !isTerminating);
  }

  change({ info, node }: PlacedPod, by: 1 | -1): void {
    this.#changeGroup(info.namespace, info, node, by);
    if (info.ownerUid !== undefined) this.#changeGroup(ownerGroup(info.namespace, info.ownerUid), info, node, by);
  }

  #changeGroup(group: string, info: PodInfo, node: NodeInfo, by: 1 | -1): void {
    for (const kept of this.#byGroup.get(group) ?? []) if (kept.matches(info)) kept.counts.change(node, by);
  }

  #counts(key: string, namespace: string, group: string, matches: Kept["matches"]): PodCounts {
    return this.#kept.getOrMake(key, () => this.#count(namespace, group, matches)).counts;
  }

  #count(namespace: string, group: string, matches: Kept["matches"]): Kept {
    const kept = { group, counts: new PodCounts(), matches };
    for (const { info, node } of this.#podsOf(namespace)) if (matches(info)) kept.counts.change(node, 1);
    let sameGroup = this.#byGroup.get(group);
    if (sameGroup === undefined) {
      sameGroup = new Set();
      this.#byGroup.set(group, sameGroup);
    }
    sameGroup.add(kept);
    return kept;
  }

  #forget(kept: Kept): void {
    const sameGroup = this.#byGroup.get(kept.group);
    sameGroup?.delete(kept);
    if (sameGroup?.size === 0) this.#byGroup.delete(kept.group);
  }
}

const ownerGroup = (namespace: string, uid: string): string => `${namespace}\nowner\n${uid}`;
