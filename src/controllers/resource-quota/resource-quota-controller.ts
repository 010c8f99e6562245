// Controller: writes into quotas what their namespaces use: when a quota comes or changes, when something that it limits comes or
// goes, some time after each charge (the object may not have been stored after all), and every --resource-quota-sync-period.

import { equalJson } from "../../base/json.ts";
import { inTurns } from "../../base/steps.ts";
import { isApiError } from "../../client/api-error.ts";
import { kinds } from "../../client/built-in-kinds.ts";
import { type DiscoveredResource, discover } from "../../client/discovery.ts";
import { type Informer, keyOf, keyText, type Stored } from "../../client/informer.ts";
import { inScopes } from "../../kinds/core/quota/scopes.ts";
import { type Counted, countName, usageOf } from "../../kinds/core/quota/usage.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { ApiObject } from "../../meta/object.ts";
import {
  againAfterMs,
  type ControllerContext,
  type ControllerDefinition,
  done,
  type KeyQueue,
  type Outcome,
} from "../framework/controller.ts";
import { ObjectCounts } from "./object-counts.ts";
import { judgeQuota } from "./quota-status.ts";

/** Changes that come together are counted together. */
const SETTLE_MS = 50;
/** A quota that was charged just now counts objects that are about to be stored: it is left alone for so long. */
const CHARGED_MS = 1_000;
/** But not for longer than this, however many charges there are. */
const MAX_CHARGED_MS = 10_000;
/** How often, and for how long, a quota waits for a resource that is being counted for the first time. */
const COUNTED_AGAIN_MS = 200;
const MAX_COUNTING_MS = 5_000;
/** A resource that nobody serves may be served soon. */
const DISCOVER_AGAIN_MS = 30_000;

export const resourceQuotaController: ControllerDefinition = {
  name: "resourcequota-controller",
  aliases: ["resourcequota"],
  account: "resourcequota-controller",
  workers: ({ concurrentResourceQuotaSyncs }) => concurrentResourceQuotaSyncs,
  build(context) {
    const counter = new QuotaCounter(context);
    return {
      watch: (queue) => counter.watch(queue),
      start: (signal) => signal.addEventListener("abort", () => counter.stop(), { once: true }),
      reconcile: (key, signal) => counter.reconcile(key, signal),
    };
  },
};

class QuotaCounter {
  readonly #context: ControllerContext;
  readonly #quotas: Informer<ResourceQuota>;
  /** Resources whose use depends on what is in their objects. */
  readonly #whole: ReadonlyMap<string, Informer<object>>;
  readonly #counts = new Map<string, ObjectCounts>();
  /** When somebody has last charged a quota, and since when that has been going on, by the clock that never jumps. */
  readonly #charged = new Map<string, { readonly sinceMs: number; readonly lastMs: number }>();
  /** The versions that this controller has written last: those are no charges. */
  readonly #written = new Map<string, string>();
  #queue: KeyQueue | undefined;
  #served: Promise<ReadonlyMap<string, DiscoveredResource>> | undefined;

  constructor(context: ControllerContext) {
    this.#context = context;
    const { informers } = context;
    const { pods, services, persistentVolumeClaims, resourceQuotas } = kinds.core.v1;
    this.#quotas = informers.of(resourceQuotas);
    this.#whole = new Map<string, Informer<object>>([
      ["count/pods", informers.of(pods) as unknown as Informer<object>],
      ["count/services", informers.of(services) as unknown as Informer<object>],
      ["count/persistentvolumeclaims", informers.of(persistentVolumeClaims) as unknown as Informer<object>],
    ]);
  }

  watch(queue: KeyQueue): void {
    this.#queue = queue;
    const { options } = this.#context;
    this.#quotas.addHandlers(
      {
        added: (quota) => queue.add(keyText(keyOf(quota))),
        updated: (quota, old) => this.#quotaChanged(quota, old),
        deleted: (quota) => {
          this.#charged.delete(keyText(keyOf(quota)));
          this.#written.delete(keyText(keyOf(quota)));
        },
      },
      { resyncMs: options.resourceQuotaSyncPeriodMs },
    );
    for (const [name, informer] of this.#whole) this.#followWhole(informer, { group: "", resource: name.slice(6) });
  }

  stop(): void {
    for (const counts of this.#counts.values()) counts.stop();
  }

  async reconcile(key: string, signal: AbortSignal): Promise<Outcome> {
    const { client, names, clock } = this.#context;
    const quota = this.#quotas.cache.get(key);
    if (quota === undefined) return done;
    const waitMs = this.#quietAfterMs(key, clock.monotonicMs());
    if (waitMs > 0) return againAfterMs(waitMs);
    const { namespace = "" } = quota.metadata;
    const work = judgeQuota(
      names,
      quota,
      {
        objects: (counted) =>
          this.#whole.get(countName(counted))?.cache.list(namespace) as readonly unknown[] as readonly ApiObject[],
        count: (counted) => this.#counts.get(countName(counted))?.of(namespace),
      },
      clock.nowMs(),
    );
    const { status, unknown } = await inTurns(work);
    const isServed = await this.#follow(unknown, signal);
    // Limits that are in force before anybody knows what is used would refuse everything.
    if (unknown.some((counted) => this.#isBeingCounted(counted))) return againAfterMs(COUNTED_AGAIN_MS);
    if (status !== undefined) {
      try {
        // With its version: whatever was charged meanwhile counts.
        const written = await client.core.v1.resourceQuotas().status.update({ ...quota, status });
        this.#written.set(key, written.metadata.resourceVersion);
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
    }
    return isServed ? done : againAfterMs(DISCOVER_AGAIN_MS);
  }

  #quotaChanged(quota: Stored<ResourceQuota>, old: Stored<ResourceQuota>): void {
    const key = keyText(keyOf(quota));
    const nowMs = this.#context.clock.monotonicMs();
    if (quota === old || !equalJson(quota.spec, old.spec)) this.#queue?.add(key);
    else if (
      !equalJson(quota.status.used, old.status.used) &&
      this.#written.get(key) !== quota.metadata.resourceVersion
    ) {
      const known = this.#charged.get(key);
      const isNew = known === undefined || nowMs - known.lastMs >= CHARGED_MS;
      this.#charged.set(key, { sinceMs: isNew ? nowMs : known.sinceMs, lastMs: nowMs });
      this.#queue?.addAfter(key, MAX_CHARGED_MS);
    }
  }

  #quietAfterMs(key: string, nowMs: number): number {
    const charged = this.#charged.get(key);
    if (charged === undefined) return 0;
    const leftMs = Math.min(charged.lastMs + CHARGED_MS, charged.sinceMs + MAX_CHARGED_MS) - nowMs;
    if (leftMs <= 0) this.#charged.delete(key);
    return leftMs;
  }

  #followWhole(informer: Informer<object>, counted: Counted): void {
    const { names, clock } = this.#context;
    const use = (object: Stored<object>) => usageOf(names, counted, object as unknown as ApiObject, clock.nowMs());
    const changed = ({ metadata: { namespace = "" } }: Stored<object>): void => this.#lookAt(namespace);
    informer.addHandlers({
      added: changed,
      deleted: changed,
      updated: (now, before) => {
        const { namespace = "" } = now.metadata;
        const quotas = this.#quotas.cache.list(namespace);
        const isIn = ({ spec }: ResourceQuota, object: Stored<object>) =>
          inScopes(spec, counted, object as unknown as ApiObject);
        const movesBetween = () => quotas.some((quota) => isIn(quota, now) !== isIn(quota, before));
        if (quotas.length > 0 && (!equalJson([...use(now)], [...use(before)]) || movesBetween()))
          this.#lookAt(namespace);
      },
    });
  }

  #lookAt(namespace: string): void {
    for (const quota of this.#quotas.cache.list(namespace)) this.#queue?.addAfter(keyText(keyOf(quota)), SETTLE_MS);
  }

  /** Begins to count resources. False when nobody serves one of them. */
  async #follow(wanted: readonly Counted[], signal: AbortSignal): Promise<boolean> {
    const missing = wanted.filter((counted) => !this.#counts.has(countName(counted)));
    if (missing.length === 0) return true;
    const served = await this.#discovered(signal);
    let isComplete = true;
    for (const counted of missing) {
      const name = countName(counted);
      const found = served.get(name);
      if (found === undefined) isComplete = false;
      else if (!this.#counts.has(name)) this.#counts.set(name, this.#startCounting(found));
    }
    return isComplete;
  }

  #isBeingCounted(counted: Counted): boolean {
    const counts = this.#counts.get(countName(counted));
    return counts !== undefined && this.#context.clock.monotonicMs() - counts.startedMs < MAX_COUNTING_MS;
  }

  #startCounting(served: DiscoveredResource): ObjectCounts {
    const { client, clock, log } = this.#context;
    return new ObjectCounts({
      client,
      clock,
      served,
      log,
      onChange: (namespace) => this.#lookAt(namespace),
      onSynced: () => {
        for (const quota of this.#quotas.cache.values()) this.#queue?.add(keyText(keyOf(quota)));
      },
    });
  }

  /** What can be counted, by its count/ name. Asked for once for all that want to know at the same time. */
  #discovered(signal: AbortSignal): Promise<ReadonlyMap<string, DiscoveredResource>> {
    const { client } = this.#context;
    this.#served ??= discover(client.transport, { signal })
      .then(({ resources }) => {
        const found = new Map<string, DiscoveredResource>();
        for (const served of resources) {
          const name = countName(served);
          const fits = served.namespaced && served.verbs.includes("list") && served.verbs.includes("watch");
          if (fits && !found.has(name)) found.set(name, served);
        }
        return found;
      })
      .finally(() => {
        this.#served = undefined;
      });
    return this.#served;
  }
}
