// The pods of the node's own that are wanted now, each started when no other of its name is left.

import { keyOf, keyText } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PodEntry } from "./pod-entry.ts";
import type { PodTable } from "./pod-table.ts";

interface WantedStaticPodsDeps {
  readonly table: Pick<PodTable, "all">;
  readonly start: (pod: Pod) => void;
  /** Nobody wants it any more. */
  readonly drop: (entry: PodEntry) => void;
  /** What is wanted under the name of this pod may be another one now. */
  readonly changed: (pod: Pod) => void;
  /** A pod was put back while it ended. */
  readonly restarted: () => void;
}

export class WantedStaticPods {
  readonly #deps: WantedStaticPodsDeps;
  #wanted: readonly Pod[] = [];

  constructor(deps: WantedStaticPodsDeps) {
    this.#deps = deps;
  }

  /** These and no others. */
  want(pods: readonly Pod[]): void {
    const { table, drop, changed } = this.#deps;
    this.#wanted = pods;
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const entry of table.all()) {
      if (!entry.isStatic || uids.has(entry.uid)) continue;
      drop(entry);
      changed(entry.pod);
    }
    for (const pod of pods) this.#start(pod);
  }

  /** Its file may have been put back, or another in its place, while it ended. */
  ended(entry: PodEntry): void {
    for (const pod of this.#wanted) {
      if (nameOf(pod) !== nameOf(entry.pod)) continue;
      if (pod.metadata.uid === entry.uid) this.#deps.restarted();
      this.#start(pod);
    }
  }

  /** The one before it may still have its ports and volumes. */
  #start(pod: Pod): void {
    const { table, start, changed } = this.#deps;
    const isTaken = [...table.all()].some((entry) => entry.isStatic && nameOf(entry.pod) === nameOf(pod));
    if (!isTaken) start(pod);
    changed(pod);
  }
}

const nameOf = (pod: Pod): string => keyText(keyOf(pod));
