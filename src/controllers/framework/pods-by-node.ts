// Pods by the node that they are on, found through an index.

import { kinds } from "../../client/built-in-kinds.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { Pod } from "../../kinds/core/pod.ts";

const BY_NODE = "node";

export class PodsByNode {
  readonly informer: Informer<Pod>;

  constructor(informers: SharedInformers) {
    this.informer = informers.of(kinds.core.v1.pods, {
      indexes: { [BY_NODE]: ({ spec }) => ((spec.nodeName ?? "") === "" ? [] : [spec.nodeName!]) },
    });
  }

  on(node: string): Stored<Pod>[] {
    return this.informer.cache.byIndex(BY_NODE, node);
  }
}
