// Counts what a namespace really uses and writes it into its quotas: when a quota comes or changes, when something that
// it limits goes or shrinks, and some time after each charge, in case that the object was not stored after all.

import type { Background } from "../../base/background.ts";
import type { BackgroundLoop } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import { equalJson } from "../../base/json.ts";
import { type Amounts, addAmounts, only } from "../../kinds/core/quota/amounts.ts";
import { inScopes } from "../../kinds/core/quota/scopes.ts";
import { type Counted, limitsResource, usageOf } from "../../kinds/core/quota/usage.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { Names } from "../../meta/names.ts";
import { quantityOfInt } from "../../meta/quantity.ts";
import type { Catalog } from "../../registry/catalog.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import type { Lookup } from "../mirrors.ts";
import { EXPECTED_WITHIN_MS, type NewUsage, type QuotaLedger } from "./charge.ts";

/** Changes that come together are counted together. */
const SETTLE_MS = 50;
/** A new quota is counted when it is first needed, and after this time at the latest. */
const FIRST_COUNT_MS = 5_000;
const RETRY_MS = 1_000;
/** Quotas that are counted side by side. */
const MAX_AT_ONCE = 16;
/** Objects decoded in one go before others get their turn. */
const BATCH = 200;

export interface RecountParts {
  readonly names: Names;
  readonly clock: Clock;
  readonly background: Background;
  readonly catalog: Catalog;
  readonly quotas: Lookup<ResourceQuota>;
  readonly ledger: QuotaLedger;
}

interface Follower {
  readonly stop: () => void;
}

export class QuotaRecount {
  readonly #parts: RecountParts;
  readonly #loop: BackgroundLoop;
  /** What is watched for each namespace with quotas, by key prefix. */
  readonly #followers = new Map<string, Map<string, Follower>>();

  constructor(parts: RecountParts) {
    this.#parts = parts;
    this.#loop = parts.background.loop({
      name: "quotas",
      failure: "a quota could not be recounted, trying again",
      keyField: "quota",
      settleMs: SETTLE_MS,
      maxAtOnce: MAX_AT_ONCE,
      reconcile: async (key) => {
        const [namespace = "", name = ""] = key.split("/");
        await this.recount(namespace, name);
        return "done";
      },
    });
    parts.ledger.onExpected = (namespace, name) => this.#schedule(namespace, name, EXPECTED_WITHIN_MS);
  }

  /** A quota came, changed or went. */
  quotaChanged(quota: ResourceQuota | undefined, before: ResourceQuota | undefined): void {
    const { namespace = "", name = "" } = (quota ?? before)!.metadata;
    // Every charge changes the quota too; what it limits stays the same.
    if (!equalJson(quota?.spec.hard, before?.spec.hard)) this.#follow(namespace);
    if (quota !== undefined && !equalJson(quota.spec.hard ?? {}, quota.status?.hard ?? {}))
      this.#schedule(namespace, name, FIRST_COUNT_MS);
  }

  close(): void {
    this.#loop.close();
    for (const followers of this.#followers.values()) for (const { stop } of followers.values()) stop();
  }

  #schedule(namespace: string, name: string, inMs: number): void {
    // An early look does not stand for a late one: each has a key of its own.
    this.#loop.enqueue(`${namespace}/${name}/${inMs}`, inMs);
  }

  /** Resolves when the quota says what is used. */
  async recount(namespace: string, name: string): Promise<void> {
    if (this.#loop.closed) return;
    await this.#parts.ledger.change(namespace, name, (quota) => this.#usage(namespace, name, quota));
  }

  async #usage(namespace: string, name: string, quota: ResourceQuota): Promise<NewUsage | undefined> {
    const { ledger, clock } = this.#parts;
    const hard = quota.spec.hard ?? {};
    const limited = new Set(Object.keys(hard));
    const stored = new Set<string>();
    let used: Amounts = new Map([...limited].map((one) => [one, quantityOfInt(0)]));
    for (const { resource, counted } of this.#concerned(quota)) {
      const names = await this.#add(resource, counted, namespace, quota, (amounts) => {
        used = addAmounts(used, only(amounts, limited));
      });
      for (const one of names) stored.add(`${counted.group}/${counted.resource}/${one}`);
    }
    const isStored = (one: Counted & { name: string }) => stored.has(`${one.group}/${one.resource}/${one.name}`);
    for (const { delta } of ledger.outstanding(namespace, name, isStored, clock.nowMs()))
      used = addAmounts(used, only(delta, limited));
    return { used, hard };
  }

  async #add(
    resource: ServedResource,
    counted: Counted,
    namespace: string,
    quota: ResourceQuota,
    add: (amounts: Amounts) => void,
  ): Promise<string[]> {
    const { names, clock } = this.#parts;
    const store = resource.store!;
    const stored: string[] = [];
    let after: string | undefined;
    for (;;) {
      const { entries } = await store.engine.list(store.scopeOf(namespace), {
        limit: BATCH,
        ...(after === undefined ? {} : { after }),
      });
      for (const entry of entries) {
        const object = store.decode(entry);
        stored.push(object.metadata.name ?? "");
        if (inScopes(quota.spec, counted, object)) add(usageOf(names, counted, object, clock.nowMs()));
      }
      if (entries.length < BATCH) return stored;
      after = entries.at(-1)!.key;
    }
  }

  /** The resources that a quota limits, each once. */
  #concerned(quota: ResourceQuota): { resource: ServedResource; counted: Counted }[] {
    const { names, catalog } = this.#parts;
    const limited = Object.keys(quota.spec.hard ?? {});
    const seen = new Set<ObjectStore>();
    const found: { resource: ServedResource; counted: Counted }[] = [];
    for (const resource of catalog.all()) {
      const { store, kind, group } = resource;
      if (store === undefined || kind.scope !== "Namespaced" || !resource.storedForm || seen.has(store)) continue;
      const counted = { group, resource: kind.resource };
      if (!limited.some((name) => limitsResource(names, name, counted))) continue;
      seen.add(store);
      found.push({ resource, counted });
    }
    return found;
  }

  /** Watches what the quotas of a namespace limit, and nothing else. */
  #follow(namespace: string): void {
    if (this.#loop.closed) return;
    const wanted = new Map<string, { resource: ServedResource; counted: Counted }>();
    for (const quota of this.#parts.quotas.values(namespace)) {
      for (const one of this.#concerned(quota)) wanted.set(one.resource.store!.scopeOf(namespace), one);
    }
    const followers = this.#followers.get(namespace) ?? new Map<string, Follower>();
    for (const [scope, { stop }] of followers) {
      if (wanted.has(scope)) continue;
      stop();
      followers.delete(scope);
    }
    for (const [scope, { resource, counted }] of wanted) {
      if (!followers.has(scope)) followers.set(scope, this.#watch(resource.store!, counted, scope, namespace));
    }
    if (followers.size === 0) this.#followers.delete(namespace);
    else this.#followers.set(namespace, followers);
  }

  #watch(store: ObjectStore, counted: Counted, scope: string, namespace: string): Follower {
    let stopped = false;
    let watch: { close(): void } | undefined;
    const again = () => {
      if (!stopped && !this.#loop.closed) this.#parts.clock.setTimer(RETRY_MS, start);
    };
    const start = () => {
      if (stopped || this.#loop.closed) return;
      store.cache
        .ready()
        .then(() => {
          const after = store.cache.snapshot()?.revision;
          if (stopped || after === undefined) return;
          watch = store.cache.watch({
            scope,
            after,
            sink: {
              event: (event, type) => {
                const name = event.item.key.slice(scope.length);
                this.#parts.ledger.arrived(namespace, this.#namesOf(namespace), { ...counted, name });
                if (type === "DELETED" || (type === "MODIFIED" && mayShrink(counted, event.item.fields)))
                  this.#recountAll(namespace);
              },
              ended: (reason) => {
                if (reason !== "closed") again();
              },
            },
          });
        })
        .catch(again);
    };
    start();
    return {
      stop: () => {
        stopped = true;
        watch?.close();
      },
    };
  }

  *#namesOf(namespace: string): IterableIterator<string> {
    for (const { metadata } of this.#parts.quotas.values(namespace)) yield metadata.name ?? "";
  }

  #recountAll(namespace: string): void {
    for (const name of this.#namesOf(namespace)) this.#schedule(namespace, name, SETTLE_MS);
  }
}

/** Pods end, services give ports back; everything else only goes as a whole. */
function mayShrink({ group, resource }: Counted, fields: Readonly<Record<string, string>>): boolean {
  if (group !== "") return false;
  if (resource === "pods") return fields["status.phase"] === "Failed" || fields["status.phase"] === "Succeeded";
  return resource === "services" || resource === "persistentvolumeclaims";
}
