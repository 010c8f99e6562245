// Room on simulated nodes for pods whose resources change: who waits for it, and who has been promised some.

import { type Informer, keyOf, keyText, type Stored } from "../client/informer.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { isEnded } from "./pod-rule.ts";
import { asGiven, isDeferred, type ResizeProblem, resizeProblem, wantsOtherResources } from "./resize-rule.ts";

/** Kept only where a pod has ever asked for other resources: it is dear for many pods. */
const ON_NODE = "node";

export class PodRoom {
  readonly #pods: Informer<Pod>;
  readonly #allocatableOf: (node: string) => Readonly<Record<string, string>> | undefined;
  /** Uids of pods that were given what they ask for; until their status says so. */
  readonly #promised = new Set<string>();
  /** Keys of pods that wait for room, by node. */
  readonly #waiting = new Map<string, Set<string>>();

  constructor(pods: Informer<Pod>, allocatableOf: (node: string) => Readonly<Record<string, string>> | undefined) {
    this.#pods = pods;
    this.#allocatableOf = allocatableOf;
  }

  /** Undefined: the pod gets what it asks for. */
  resizeProblem(pod: Stored<Pod>): ResizeProblem | undefined {
    const { nodeName = "" } = pod.spec;
    const { uid } = pod.metadata;
    this.#pods.addIndexes({ [ON_NODE]: ({ spec }) => (spec.nodeName === undefined ? [] : [spec.nodeName]) });
    const others = this.#pods.cache
      .byIndex(ON_NODE, nodeName)
      .filter((other) => other.metadata.uid !== uid && !isEnded(other))
      .map((other) => (this.#promised.has(other.metadata.uid) ? other : asGiven(other)));
    const problem = resizeProblem(pod, this.#allocatableOf(nodeName) ?? {}, others);
    if (problem === undefined) this.#promised.add(uid);
    return problem;
  }

  /** Sees every state of a pod on these nodes; says whose turn it may be now. */
  look(pod: Stored<Pod>): readonly string[] {
    const { nodeName = "" } = pod.spec;
    const isResized = !wantsOtherResources(pod) && this.#promised.delete(pod.metadata.uid);
    const key = keyText(keyOf(pod));
    if (isDeferred(pod) && !isEnded(pod)) {
      const waiting = this.#waiting.get(nodeName) ?? new Set();
      this.#waiting.set(nodeName, waiting.add(key));
    } else if (this.#waiting.get(nodeName)?.delete(key) && this.#waiting.get(nodeName)?.size === 0) {
      this.#waiting.delete(nodeName);
    }
    return isResized ? this.#next(nodeName) : [];
  }

  /** The pod has left room; says whose turn it may be now. */
  leave(pod: Stored<Pod>): readonly string[] {
    const { nodeName = "" } = pod.spec;
    this.#promised.delete(pod.metadata.uid);
    this.#waiting.get(nodeName)?.delete(keyText(keyOf(pod)));
    return this.#next(nodeName);
  }

  /** The most important first. */
  #next(node: string): readonly string[] {
    const waiting = this.#waiting.get(node);
    if (waiting === undefined) return [];
    const priority = (key: string): number => this.#pods.cache.get(key)?.spec.priority ?? 0;
    return [...waiting].sort((a, b) => priority(b) - priority(a));
  }
}
