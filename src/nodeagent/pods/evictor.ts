// Keeps the node usable when it runs short: removes what nobody uses, and then ends pods, one at a time.

import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Counter } from "../../base/metrics.ts";
import { atMost } from "../at-most.ts";
import type { AgentContext } from "../context.ts";
import { isCriticalPod } from "../eviction/critical-pod.ts";
import { evictionMessage } from "../eviction/eviction-message.ts";
import { hasStorageLimits, storageLimitProblem } from "../eviction/local-storage-limits.ts";
import type { Shortage } from "../eviction/pressure-watch.ts";
import { rankPods } from "../eviction/rank-pods.ts";
import { type EvictionThreshold, pressureOf, resourceOf } from "../eviction/signals.ts";
import type { PodUsage, PodUsageReader } from "../stats/pod-usage.ts";
import type { PodEntry } from "./pod-entry.ts";
import type { PodFailure } from "./pod-status.ts";
import type { PodTable } from "./pod-table.ts";

interface EvictorDeps {
  readonly context: AgentContext;
  readonly table: Pick<PodTable, "active">;
  readonly usage: PodUsageReader;
  /** Removes images that nobody uses, and containers of pods that have ended. */
  readonly reclaim: (signal: AbortSignal) => Promise<void>;
  /** Ends a pod as failed. Resolves when nothing of it runs any more. */
  readonly end: (entry: PodEntry, failure: PodFailure, graceSeconds: number) => Promise<void>;
  readonly onError: (error: unknown) => void;
}

const EVERY_MS = 10_000;
/** The kernel cannot call this process: where it is asked to (`kernelMemcgNotification`), the agent looks more often. */
const OFTEN_MS = 1_000;
/** How long the end of a pod is waited for before the node is looked at again. */
const MAX_WAIT_MS = 30_000;
/** What the end of a pod gave back shows after a moment. */
const SETTLE_MS = 1_000;
/** Of a pod that has to go at once. */
const IMMEDIATE_SECONDS = 1;

export class Evictor {
  readonly #deps: EvictorDeps;
  readonly #loop: BackgroundLoop;
  readonly #evictions: Counter;

  constructor(deps: EvictorDeps) {
    this.#deps = deps;
    const { clock, metrics, config } = deps.context;
    const { onError } = deps;
    this.#loop = new BackgroundLoop({
      clock,
      everyMs: config.kernelMemcgNotification ? OFTEN_MS : EVERY_MS,
      onError,
      reconcile: (_, signal) => this.#look(signal),
    });
    this.#evictions = metrics.counter({
      name: "kubelet_evictions",
      help: "Cumulative number of pod evictions by eviction signal",
      labels: ["eviction_signal"],
      stability: "ALPHA",
    });
  }

  start(): void {
    this.#loop.enqueue();
  }

  close(): void {
    this.#loop.close();
  }

  async #look(signal: AbortSignal): Promise<Outcome> {
    const { context } = this.#deps;
    const shortage = await context.pressure.look();
    const greedy = await this.#evictGreedy(shortage);
    const ending = greedy.length > 0 ? greedy : await this.#relieve(shortage, signal);
    if (ending.length === 0) return "done";
    await atMost(MAX_WAIT_MS, Promise.all(ending), { clock: context.clock, signal });
    return { againInMs: SETTLE_MS };
  }

  /** Ends the pods that hold more of the disk than they are allowed. */
  async #evictGreedy({ hasImageDisk }: Shortage): Promise<Promise<void>[]> {
    const { context, table, usage } = this.#deps;
    if (!context.config.localStorageCapacityIsolation) return [];
    const limited = evictable(table.active()).filter(({ pod }) => hasStorageLimits(pod));
    if (limited.length === 0) return [];
    const used = await usage.of(limited.map(({ pod }) => pod));
    return limited.flatMap((entry) => {
      const own = used.get(entry.uid);
      const message = own === undefined ? undefined : storageLimitProblem(entry.pod, own, hasImageDisk);
      if (message === undefined) return [];
      return [this.#evict(entry, { reason: "Evicted", message }, IMMEDIATE_SECONDS, "ephemeral-storage.limit")];
    });
  }

  /** Memory first: without it nothing else can be done. Gives the end of the pod that goes, if one does. */
  async #relieve(shortage: Shortage, signal: AbortSignal): Promise<Promise<void>[]> {
    const { context, table, usage, reclaim, onError } = this.#deps;
    const threshold = shortage.due.find(({ signal }) => pressureOf(signal) === "memory") ?? shortage.due[0];
    if (threshold === undefined) return [];
    const resource = resourceOf(threshold.signal);
    const node = context.node.current();
    if (node !== undefined) context.recorder.warning(node, "EvictionThresholdMet", `Attempting to reclaim ${resource}`);
    if (canReclaim(threshold, shortage.hasImageDisk)) {
      // Where something stays that nobody uses, pods have to go all the same.
      await reclaim(signal).catch(onError);
      if (await context.pressure.isOver()) return [];
    }
    const active = evictable(table.active());
    if (active.length === 0) return [];
    const used = await usage.of(active.map(({ pod }) => pod));
    const candidates = active.map((entry) => ({ entry, pod: entry.pod, usage: used.get(entry.uid) }));
    const [first] = rankPods(candidates, threshold.signal, shortage.hasImageDisk);
    return first === undefined ? [] : [this.#evictFor(first.entry, first.usage, threshold, shortage)];
  }

  #evictFor(
    entry: PodEntry,
    usage: PodUsage | undefined,
    threshold: EvictionThreshold,
    { observations }: Shortage,
  ): Promise<void> {
    const { config } = this.#deps.context;
    const message = evictionMessage(entry.pod, usage, resourceOf(threshold.signal), { threshold, observations });
    const graceSeconds = threshold.isHard ? IMMEDIATE_SECONDS : config.evictionMaxPodGracePeriod;
    return this.#evict(entry, { reason: "Evicted", message, isDisruption: true }, graceSeconds, threshold.signal);
  }

  #evict(entry: PodEntry, failure: PodFailure, graceSeconds: number, why: string): Promise<void> {
    const { context, end } = this.#deps;
    context.log.warn({ pod: entry.pod.metadata.name, uid: entry.uid, why }, "a pod is evicted");
    context.recorder.warning(entry.pod, failure.reason, failure.message);
    this.#evictions.with(why).inc();
    return end(entry, failure, graceSeconds);
  }
}

/** What the cluster cannot do without stays; what ends by itself is waited for. */
function evictable(entries: readonly PodEntry[]): PodEntry[] {
  return entries.filter(({ pod, isStatic, failure }) => failure === undefined && !isCriticalPod(pod, isStatic));
}

/** Images and containers lie on the disk of images, which may be the node's. */
function canReclaim({ signal }: EvictionThreshold, hasImageDisk: boolean): boolean {
  return pressureOf(signal) === "disk" && (!hasImageDisk || !signal.startsWith("nodefs."));
}
