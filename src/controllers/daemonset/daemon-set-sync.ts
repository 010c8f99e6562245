// Brings one DaemonSet up to date: its revisions, the pods on its nodes, and what it says of them.

import { cloneJson } from "../../base/json.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { DaemonSet } from "../../kinds/apps/daemon-set.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { LabelSelector } from "../../meta/label-selector.ts";
import { againAfterMs, type ControllerContext, done, type Outcome } from "../framework/controller.ts";
import { type OwnedPods, SETTLED_AFTER_MS } from "../pods-of-owner/owned-pods.ts";
import { msUntilNextAvailable } from "../pods-of-owner/pod-state.ts";
import { REVISION_LABEL } from "../revisions/revision.ts";
import type { RevisionHistory } from "../revisions/revision-history.ts";
import { podForNode, targetNode } from "./daemon-pod.ts";
import { nextStatus } from "./daemon-set-status.ts";
import { FailedPods } from "./failed-pods.ts";
import { nodeFitOf } from "./node-fit.ts";
import { type DaemonPlan, type DaemonState, type NodeState, planDaemonSet } from "./plan-daemon-set.ts";

interface DaemonSetSyncParts {
  readonly context: ControllerContext;
  readonly pods: OwnedPods<DaemonSet>;
  readonly history: RevisionHistory<DaemonSet>;
  readonly nodes: Informer<Node>;
}

/** In one turn; the rest follows when these have been seen. */
const MAX_PER_SYNC = 250;

export class DaemonSetSync {
  readonly #parts: DaemonSetSyncParts;
  readonly #failed = new FailedPods();

  constructor(parts: DaemonSetSyncParts) {
    this.#parts = parts;
  }

  forget(uid: string): void {
    this.#failed.forget(uid);
  }

  forgetNode(name: string): void {
    this.#failed.forgetNode(name);
  }

  async run(set: Stored<DaemonSet>, selector: LabelSelector): Promise<Outcome> {
    const { context, pods: owned, history } = this.#parts;
    // The garbage collector decides what becomes of its pods.
    if (set.metadata.deletionTimestamp !== undefined) return done;
    const { template, minReadySeconds = 0, revisionHistoryLimit = 10 } = set.spec;
    const { revision, all, collisionCount } = await history.present(set, selector, template, set.status.collisionCount);
    const hash = revision.metadata.labels?.[REVISION_LABEL] ?? revision.metadata.name;
    const settled = owned.settled(set);
    const pods = await owned.claim(set, selector);
    const state = this.#stateOf(set, pods, hash);
    let plan: DaemonPlan | undefined;
    let failure: { readonly error: unknown } | undefined;
    if (settled) {
      plan = planDaemonSet(state);
      await this.#act(state, plan).catch((error: unknown) => {
        failure = { error };
      });
      const used = new Set(pods.map(({ metadata }) => metadata.labels?.[REVISION_LABEL]));
      await history.truncate(
        all.filter((each) => each !== revision),
        (each) => used.has(each.metadata.labels?.[REVISION_LABEL]),
        { limit: revisionHistoryLimit, counts: "old" },
      );
    }
    const status = nextStatus(state, collisionCount, settled);
    if (status !== undefined)
      await context.client.apps.v1.daemonSets(set.metadata.namespace).status.update({ ...cloneJson(set), status });
    if (failure !== undefined) throw failure.error;
    const waitMs = Math.min(
      owned.settled(set) ? Number.POSITIVE_INFINITY : SETTLED_AFTER_MS,
      plan?.waitMs ?? Number.POSITIVE_INFINITY,
      msUntilNextAvailable(pods, minReadySeconds, state.nowMs) ?? Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(waitMs) ? againAfterMs(waitMs) : done;
  }

  #stateOf(set: Stored<DaemonSet>, pods: readonly Stored<Pod>[], hash: string): DaemonState {
    const { names, clock } = this.#parts.context;
    const nowMs = clock.nowMs();
    const byNode = new Map<string, Stored<Pod>[]>();
    for (const pod of pods) {
      const { phase } = pod.status;
      // One that has ended and goes is nobody's business any more.
      const isOver = pod.metadata.deletionTimestamp !== undefined && (phase === "Succeeded" || phase === "Failed");
      const name = isOver ? undefined : targetNode(pod);
      if (name === undefined) continue;
      const known = byNode.get(name);
      if (known === undefined) byNode.set(name, [pod]);
      else known.push(pod);
    }
    const fitOf = nodeFitOf(set, names);
    const nodes: NodeState[] = [];
    for (const node of this.#parts.nodes.cache.values()) {
      const { name } = node.metadata;
      nodes.push({ name, pods: byNode.get(name) ?? [], ...fitOf(node) });
      byNode.delete(name);
    }
    // Without a node nobody else deletes a pod that never ran.
    const strays = [...byNode.values()].flat().filter(({ spec }) => !spec.nodeName);
    const { uid, generation = 0 } = set.metadata;
    const monotonicMs = clock.monotonicMs();
    const failedWaitMs = (node: string) => this.#failed.waitMs(uid, generation, node, monotonicMs);
    return { set, nodes: nodes.sort((a, b) => (a.name < b.name ? -1 : 1)), strays, hash, failedWaitMs, nowMs };
  }

  async #act({ set, hash }: DaemonState, plan: DaemonPlan): Promise<void> {
    const { context, pods } = this.#parts;
    const { uid, generation = 0 } = set.metadata;
    for (const { node, pod } of plan.ended) {
      const { namespace, name } = pod.metadata;
      if (pod.status.phase === "Failed") {
        this.#failed.replaced(uid, generation, node, context.clock.monotonicMs());
        const what = `Found failed daemon pod ${namespace}/${name} on node ${node}, will try to kill it`;
        context.events.warning(set, "FailedDaemonPod", what);
      } else {
        const what = `Found succeeded daemon pod ${namespace}/${name} on node ${node}, will try to delete it`;
        context.events.normal(set, "SucceededDaemonPod", what);
      }
    }
    // From another one each time: where one node is refused its pod, those behind it would never get theirs.
    const first = Math.floor(context.random() * plan.create.length);
    const nodes = [...plan.create.slice(first), ...plan.create.slice(0, first)].slice(0, MAX_PER_SYNC);
    try {
      await pods.create(set, nodes.length, (at) => podForNode(set, nodes[at]!, hash, context.names));
    } finally {
      // Also where not all could be made: a quota may wait for those that go.
      await pods.delete(set, plan.delete.slice(0, MAX_PER_SYNC));
    }
  }
}
