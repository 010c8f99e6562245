// All extenders together, in the order of the configuration file. One that fails is left out where it may be ignored.

import type { Log } from "../../base/log.ts";
import { type NodeRefusal, refusal } from "../filters/filter.ts";
import type { Victims } from "../preemption.ts";
import type { NodeInfo } from "../state/node-info.ts";
import type { PodInfo } from "../state/pod-info.ts";
import type { Extender } from "./extender.ts";

interface ExtendersParts {
  readonly extenders: readonly Extender[];
  readonly log: Log;
  readonly signal: AbortSignal;
}

type Verb = "filterVerb" | "prioritizeVerb" | "preemptVerb" | "bindVerb";

export class Extenders {
  readonly #parts: ExtendersParts;

  constructor(parts: ExtendersParts) {
    this.#parts = parts;
  }

  /** Whether any has a say about where the pod goes. */
  concern(pod: PodInfo): boolean {
    return this.#with("filterVerb", pod).length + this.#with("prioritizeVerb", pod).length > 0;
  }

  /** Those that are left when each has refused what it will not take, and why. */
  async filter(
    pod: PodInfo,
    nodes: readonly NodeInfo[],
  ): Promise<{ readonly nodes: readonly NodeInfo[]; readonly refused: ReadonlyMap<NodeInfo, NodeRefusal> }> {
    const refused = new Map<NodeInfo, NodeRefusal>();
    let left = nodes;
    for (const extender of this.#with("filterVerb", pod)) {
      if (left.length === 0) break;
      const asked = left;
      const answer = await this.#unlessIgnored(extender, () => extender.filter(pod, asked, this.#parts.signal));
      if (answer === undefined) continue;
      const { failed, failedForGood } = answer;
      const kept = new Set(answer.nodes);
      for (const node of asked) {
        if (kept.has(node)) continue;
        const forGood = failedForGood.get(node.name);
        const why = forGood ?? failed.get(node.name);
        // Of a node that it says nothing about, nobody knows whether it helps that pods leave it.
        refused.set(node, refusal("Extender", why ?? NO_REASON, why !== undefined && forGood === undefined));
      }
      left = answer.nodes;
    }
    return { nodes: left, refused };
  }

  /** What is added to the scores of nodes, by their names. Who does not answer has no favourites. */
  async points(pod: PodInfo, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>> {
    const { signal, log } = this.#parts;
    const totals = new Map<string, number>();
    const all = this.#with("prioritizeVerb", pod).map(async (extender) => {
      try {
        return await extender.prioritize(pod, nodes, signal);
      } catch (error) {
        log.debug({ err: error, pod: pod.key }, "an extender did not say which nodes it likes");
        return NO_POINTS;
      }
    });
    for (const points of await Promise.all(all))
      for (const [name, each] of points) totals.set(name, (totals.get(name) ?? 0) + each);
    return totals;
  }

  /** False when none of them binds the pod. */
  async bind(pod: PodInfo, nodeName: string): Promise<boolean> {
    for (const extender of this.#with("bindVerb", pod)) {
      const bound = async (): Promise<true> => {
        await extender.bind(pod, nodeName, this.#parts.signal);
        return true;
      };
      if ((await this.#unlessIgnored(extender, bound)) === true) return true;
    }
    return false;
  }

  mayPreempt(pod: PodInfo): boolean {
    return this.#with("preemptVerb", pod).length > 0;
  }

  async preempt(pod: PodInfo, candidates: readonly Victims[]): Promise<readonly Victims[]> {
    let left = candidates;
    for (const extender of this.#with("preemptVerb", pod)) {
      if (left.length === 0) break;
      const asked = left;
      left = (await this.#unlessIgnored(extender, () => extender.preempt(pod, asked, this.#parts.signal))) ?? left;
    }
    return left;
  }

  close(): void {
    for (const extender of this.#parts.extenders) extender.close();
  }

  #with(verb: Verb, pod: PodInfo): readonly Extender[] {
    const { extenders } = this.#parts;
    return extenders.length === 0
      ? extenders
      : extenders.filter((each) => each.says[verb] !== "" && each.isInterestedIn(pod));
  }

  async #unlessIgnored<T>(extender: Extender, call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call();
    } catch (error) {
      if (!extender.says.ignorable) throw error;
      this.#parts.log.info({ err: error }, "an extender that may be ignored has failed");
      return undefined;
    }
  }
}

const NO_POINTS: ReadonlyMap<string, number> = new Map();
const NO_REASON = "node(s) refused by an extender";
