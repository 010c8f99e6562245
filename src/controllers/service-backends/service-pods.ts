// Which pods belong to which Services, found through indexes: never by looking at all of them.

import { kinds } from "../../client/built-in-kinds.ts";
import { type Informer, keyOf, keyText, type Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { Service } from "../../kinds/core/service.ts";
import type { KeyQueue } from "../framework/controller.ts";
import { PodsByNode } from "../framework/pods-by-node.ts";
import { isPodFinished, isPodReady, podIps } from "./backend-pod.ts";

type Labels = Readonly<Record<string, string>>;

const BY_LABEL = "namespace-and-label";
const BY_SELECTOR = "namespace-and-selector";

export class ServicePods {
  readonly services: Informer<Service>;
  readonly pods: Informer<Pod>;
  readonly #byNode: PodsByNode;

  constructor(informers: SharedInformers) {
    this.pods = informers.of(kinds.core.v1.pods, {
      indexes: {
        [BY_LABEL]: ({ metadata: { namespace = "", labels } }) => pairsOf(namespace, labels),
      },
    });
    this.#byNode = new PodsByNode(informers);
    this.services = informers.of(kinds.core.v1.services, {
      indexes: {
        // One pair is enough to find it: whatever it selects has all of them.
        [BY_SELECTOR]: ({ metadata: { namespace = "" }, spec }) => pairsOf(namespace, spec.selector).sort().slice(0, 1),
      },
    });
  }

  /** The pods that a Service with a selector selects. */
  podsOf({ metadata: { namespace = "" }, spec: { selector } }: Stored<Service>): Stored<Pod>[] {
    let rarest: string | undefined;
    let fewest = Number.POSITIVE_INFINITY;
    for (const pair of pairsOf(namespace, selector)) {
      const count = this.pods.cache.countByIndex(BY_LABEL, pair);
      if (count < fewest) [rarest, fewest] = [pair, count];
    }
    if (rarest === undefined) return [];
    return this.pods.cache.byIndex(BY_LABEL, rarest).filter(({ metadata }) => matches(selector, metadata.labels));
  }

  /** The keys of the Services that select pods with these labels. */
  *servicesOf(namespace: string, labels: Labels | undefined): Iterable<string> {
    for (const pair of pairsOf(namespace, labels)) {
      for (const service of this.services.cache.byIndex(BY_SELECTOR, pair))
        if (matches(service.spec.selector, labels)) yield keyText(keyOf(service));
    }
  }

  /** The keys of the Services that have pods on a node. */
  *servicesOnNode(node: string): Iterable<string> {
    for (const { metadata } of this.#byNode.on(node)) yield* this.servicesOf(metadata.namespace ?? "", metadata.labels);
  }

  /** Services are looked at when they change, and when a pod changes in a way that its endpoints show. */
  watch(queue: KeyQueue): void {
    const addService = (service: Stored<Service>): void => queue.add(keyText(keyOf(service)));
    this.services.addHandlers({ added: addService, updated: addService, deleted: addService });
    const addPod = ({ metadata }: Stored<Pod>): void => {
      // At the start every Service is looked at anyway.
      if (!this.pods.synced) return;
      for (const key of this.servicesOf(metadata.namespace ?? "", metadata.labels)) queue.add(key);
    };
    this.pods.addHandlers({
      added: addPod,
      deleted: addPod,
      updated(now, before) {
        if (factsOf(now) === factsOf(before)) return;
        addPod(before);
        addPod(now);
      },
    });
  }
}

/** All that endpoints show of a pod, and what it is selected by. */
function factsOf(pod: Stored<Pod>): string {
  const { metadata, spec, status } = pod;
  return JSON.stringify([
    metadata.labels,
    metadata.deletionTimestamp !== undefined,
    isPodReady(pod),
    isPodFinished(pod),
    podIps(status),
    spec.nodeName,
    spec.hostname,
    spec.subdomain,
  ]);
}

function pairsOf(namespace: string, labels: Labels | undefined | null): string[] {
  return Object.entries(labels ?? {}).map(([key, value]) => `${namespace}/${key}=${value}`);
}

function matches(selector: Labels | undefined | null, labels: Labels | undefined): boolean {
  if (selector === undefined || selector === null || labels === undefined) return false;
  for (const key in selector) if (!Object.hasOwn(labels, key) || labels[key] !== selector[key]) return false;
  return true;
}
