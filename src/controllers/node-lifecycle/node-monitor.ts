// Looks at all nodes again and again: says which are silent, what that means for their pods, and which nodes pods have to
// leave. The rules stand in the files beside this one. Requirements: document 3, "States and transitions".

import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { Lease } from "../../kinds/coordination/lease.ts";
import type { Node } from "../../kinds/core/node.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ControllerContext } from "../framework/controller.ts";
import { inParallel } from "../framework/in-parallel.ts";
import { PodsByNode } from "../framework/pods-by-node.ts";
import { type NodeHealth, observeNode, readyOf, silentConditions } from "./node-health.ts";
import { applyRule, executeKey, executeRule } from "./node-taints.ts";
import { markPodNotReady } from "./pods-not-ready.ts";
import { ZoneEvictions } from "./zone-evictions.ts";
import { evictionRates, type ZoneCount, zoneOf } from "./zones.ts";

const PARALLEL_NODES = 8;
/** How soon a node is tried again whose taint could not be written. */
const RETRY_MS = 1_000;

export class NodeMonitor {
  readonly #context: ControllerContext;
  readonly #nodes: Informer<Node>;
  readonly #leases: Informer<Lease>;
  readonly #pods: PodsByNode;
  readonly #evictions = new ZoneEvictions();
  readonly #health = new Map<string, NodeHealth>();
  #everythingWasSilent = false;

  constructor(context: ControllerContext) {
    const { informers, names } = context;
    this.#context = context;
    this.#nodes = informers.of(kinds.core.v1.nodes);
    this.#leases = informers.of(kinds.coordination.v1.leases, { namespace: names.nodeLeaseNamespace });
    this.#pods = new PodsByNode(informers);
  }

  /** Whether nothing has been heard of a node for too long. */
  isSilent(name: string): boolean {
    const node = this.#nodes.cache.get(name);
    return node !== undefined && readyOf(node)?.status === "Unknown";
  }

  /** One look at all nodes. Milliseconds until a node may be tainted that waits; undefined when none waits. */
  async pass(signal: AbortSignal): Promise<number | undefined> {
    const { clock, metrics } = this.#context;
    const startMs = clock.monotonicMs();
    const nodes = this.#nodes.cache.list();
    this.#observe(nodes);
    const judged = new Map<string, string>();
    await inParallel(PARALLEL_NODES, nodes, async (node) => {
      if (signal.aborted) return;
      const beginMs = clock.monotonicMs();
      await this.#guard(node, async () => void judged.set(node.metadata.name, await this.#judge(node)));
      metrics.nodeLookedAt((clock.monotonicMs() - beginMs) / 1000);
    });
    const counted = nodes.filter(({ metadata }) => judged.has(metadata.name));
    await this.#setRates(counted, judged, signal);
    await inParallel(PARALLEL_NODES, counted, async (node) => {
      if (!signal.aborted) await this.#guard(node, () => this.#follow(node, judged.get(node.metadata.name)!));
    });
    metrics.nodesLookedAt((clock.monotonicMs() - startMs) / 1000);
    return this.#evictions.nextMs(clock.monotonicMs());
  }

  /** Taints the nodes whose turn it is. Milliseconds until the next; undefined when none waits. */
  async taintDue(): Promise<number | undefined> {
    const { clock, names, metrics } = this.#context;
    const failed: string[] = [];
    await inParallel(PARALLEL_NODES, this.#evictions.take(clock.monotonicMs()), async (name) => {
      try {
        await this.#setExecuteTaint(name, true);
        const tainted = this.#nodes.cache.get(name);
        if (tainted !== undefined) metrics.nodeEvicted(zoneOf(tainted, names));
      } catch (error) {
        failed.push(name);
        this.#logFailure(name, error);
      }
    });
    // Of those whose turn has not come yet: a zone with a high rate would try one that fails without a pause.
    const nextMs = this.#evictions.nextMs(clock.monotonicMs());
    if (failed.length === 0) return nextMs;
    for (const name of failed) {
      const node = this.#nodes.cache.get(name);
      if (node !== undefined) this.#evictions.add(name, zoneOf(node, names), clock.monotonicMs());
    }
    return Math.min(nextMs ?? RETRY_MS, RETRY_MS);
  }

  #observe(nodes: readonly Stored<Node>[]): void {
    const { clock, events, names } = this.#context;
    const moment = { nowMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
    const gone = new Map(this.#health);
    for (const node of nodes) {
      const { name, uid } = node.metadata;
      const before = this.#health.get(name);
      gone.delete(name);
      const lease = this.#leases.cache.get({ namespace: names.nodeLeaseNamespace, name });
      this.#health.set(name, observeNode(before, node, lease, moment));
      if (before?.uid === uid) continue;
      events.normal(node, "RegisteredNode", `Node ${name} event: Registered Node ${name} in Controller`);
    }
    for (const [name, { uid }] of gone) {
      this.#health.delete(name);
      this.#evictions.remove(name);
      const regarding = { apiVersion: "v1", kind: "Node", metadata: { name, uid } };
      events.normal(regarding, "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
    }
  }

  /** The state of Ready, after silence has been noted; empty when it has never been known. */
  async #judge(node: Stored<Node>): Promise<string> {
    const { client, clock, events, names, options } = this.#context;
    const { name, resourceVersion } = node.metadata;
    const ready = readyOf(node);
    const graceMs = ready === undefined ? options.nodeStartupGracePeriodMs : options.nodeMonitorGracePeriodMs;
    const heardMs = this.#health.get(name)?.heardMs ?? clock.monotonicMs();
    if (clock.monotonicMs() - heardMs <= graceMs) return ready?.status ?? "";
    const conditions = silentConditions(node, timeOfMs(clock.nowMs()), names);
    if (conditions.length > 0) {
      // With its version: a node that has just spoken is not silenced.
      const strategic = { metadata: { resourceVersion }, status: { conditions } };
      await client.core.v1.nodes().status.patch(name, { strategic });
      if (ready?.status === "True") events.normal(node, "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    }
    return "Unknown";
  }

  async #setRates(
    nodes: readonly Stored<Node>[],
    judged: ReadonlyMap<string, string>,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, names, options, log, metrics } = this.#context;
    const zones = new Map<string, ZoneCount>();
    for (const node of nodes) {
      const zone = zoneOf(node, names);
      const count = zones.get(zone) ?? { ready: 0, notReady: 0 };
      const isCounted = !Object.hasOwn(node.metadata.labels ?? {}, names.excludeDisruptionLabel);
      const isReady = judged.get(node.metadata.name) === "True";
      zones.set(zone, {
        ready: count.ready + (isCounted && isReady ? 1 : 0),
        notReady: count.notReady + (isCounted && !isReady ? 1 : 0),
      });
    }
    for (const [zone, { ready, notReady }] of zones)
      metrics.zone(zone, { size: ready + notReady, unhealthy: notReady });
    const { everythingIsSilent, rates } = evictionRates(zones, options);
    const nowMs = clock.monotonicMs();
    this.#evictions.setRates(rates, nowMs);
    if (everythingIsSilent && !this.#everythingWasSilent) {
      log.warn({ nodes: nodes.length }, "no node is ready: pods stay where they are");
      await inParallel(PARALLEL_NODES, nodes, async (node) => {
        if (!signal.aborted) await this.#guard(node, () => this.#allowPods(node));
      });
    } else if (!everythingIsSilent && this.#everythingWasSilent) {
      log.info({ nodes: nodes.length }, "some nodes are ready again");
      for (const [name, health] of this.#health) this.#health.set(name, { ...health, heardMs: nowMs });
    }
    this.#everythingWasSilent = everythingIsSilent;
  }

  /** What the state of a node means for its pods. */
  async #follow(node: Stored<Node>, ready: string): Promise<void> {
    const { names, clock } = this.#context;
    const { name } = node.metadata;
    if (ready === "True") {
      this.#evictions.remove(name);
      await this.#allowPods(node);
      return;
    }
    if (ready !== "False" && ready !== "Unknown") return;
    // A pod that cannot be marked must not keep the others where they are.
    if (ready === "Unknown") await this.#guard(node, () => this.#markPods(name));
    if (this.#everythingWasSilent) return;
    const key = ready === "False" ? names.notReadyTaint : names.unreachableTaint;
    const held = executeTaints(node, [names.notReadyTaint, names.unreachableTaint]);
    if (held.length === 1 && held[0] === key) this.#evictions.remove(name);
    // Pods that have to leave anyway need not wait for another turn.
    else if (held.length > 0) await this.#setExecuteTaint(name, true);
    else this.#evictions.add(name, zoneOf(node, names), clock.monotonicMs());
  }

  async #allowPods(node: Stored<Node>): Promise<void> {
    const { notReadyTaint, unreachableTaint } = this.#context.names;
    this.#evictions.remove(node.metadata.name);
    if (executeTaints(node, [notReadyTaint, unreachableTaint]).length === 0) return;
    await this.#setExecuteTaint(node.metadata.name, false);
  }

  async #setExecuteTaint(name: string, tainted: boolean): Promise<void> {
    const { client, clock, names } = this.#context;
    try {
      await client.core.v1.nodes().modify(name, (node) => {
        // It may have become ready meanwhile: then it has no key, and its taints go.
        const rule = executeRule(node, tainted && executeKey(node, names) !== undefined, names);
        const taints = applyRule(node.spec?.taints, rule, timeOfMs(clock.nowMs()));
        if (taints !== undefined) node.spec = { ...node.spec, taints };
      });
    } catch (error) {
      if (!isApiError(error, "NotFound")) throw error;
    }
  }

  async #markPods(node: string): Promise<void> {
    await inParallel(1, this.#pods.on(node), (pod) => markPodNotReady(this.#context, pod));
  }

  /** What fails for one node is tried again at the next look, and does not keep the others waiting. */
  async #guard(node: Stored<Node>, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#logFailure(node.metadata.name, error);
    }
  }

  #logFailure(node: string, error: unknown): void {
    const level = isApiError(error, "Conflict", "NotFound") ? "debug" : "warn";
    this.#context.log[level]({ err: error, node }, "a node could not be judged, trying again");
  }
}

function executeTaints({ spec }: Node, keys: readonly string[]): string[] {
  return (spec?.taints ?? [])
    .filter(({ effect, key }) => effect === "NoExecute" && keys.includes(key))
    .map(({ key }) => key);
}
