// Charges a quota: compare and set of status.used on the quota itself, so that servers cannot spend the same twice.

import { BoundedCache } from "../../base/bounded-cache.ts";
import { type Amounts, writeAmounts } from "../../kinds/core/quota/amounts.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

export interface NewUsage {
  readonly used: Amounts;
  readonly hard?: Readonly<Record<string, string>>;
}

/** The new usage from the quota as it stands; undefined leaves it alone. May refuse by throwing. */
export type Change = (quota: ResourceQuota) => NewUsage | undefined | Promise<NewUsage | undefined>;

export interface ObjectId {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
}

const idOf = ({ group, resource, name }: ObjectId): string => `${group}/${resource}/${name}`;

/** An object that was charged for and is not stored yet, as far as we know. */
export interface Expected extends ObjectId {
  readonly delta: Amounts;
  readonly atMs: number;
}

/** An object that is not stored by then was not stored at all. */
export const EXPECTED_WITHIN_MS = 10_000;
/** More are forgotten, the oldest first: the next recount then sees only what is stored. */
const MAX_EXPECTED = 10_000;

export class QuotaLedger {
  readonly #deps: () => WriteDeps;
  readonly #quotas: ServedResource;
  /** Writers of one quota in this process go one after the other: they would only make each other try again. */
  readonly #queues = new Map<string, Promise<void>>();

  readonly #expected = new Map<string, BoundedCache<string, Expected>>();
  /** Told of every charge, so that somebody looks later what became of it. */
  onExpected: (namespace: string, name: string) => void = () => undefined;

  constructor(deps: () => WriteDeps, quotas: ServedResource) {
    this.#deps = deps;
    this.#quotas = quotas;
  }

  async change(namespace: string, name: string, change: Change): Promise<void> {
    const key = `${namespace}/${name}`;
    const before = this.#queues.get(key) ?? Promise.resolve();
    const own = before.then(() => this.#write(namespace, name, change));
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    this.#queues.set(key, settled);
    try {
      await own;
    } finally {
      if (this.#queues.get(key) === settled) this.#queues.delete(key);
    }
  }

  expect(namespace: string, name: string, expected: Expected): void {
    const key = `${namespace}/${name}`;
    const all = this.#expected.get(key) ?? new BoundedCache<string, Expected>({ maxEntries: MAX_EXPECTED });
    all.set(idOf(expected), expected);
    this.#expected.set(key, all);
    this.onExpected(namespace, name);
  }

  /** The object has been seen: from now on it counts for as long as it is stored. */
  arrived(namespace: string, quotas: Iterable<string>, object: ObjectId): void {
    for (const quota of quotas) this.#expected.get(`${namespace}/${quota}`)?.delete(idOf(object));
  }

  /** Charges whose objects are not among the stored ones and may still come. Forgets the others. */
  outstanding(namespace: string, name: string, isStored: (object: ObjectId) => boolean, nowMs: number): Expected[] {
    const key = `${namespace}/${name}`;
    const all = this.#expected.get(key);
    if (all === undefined) return [];
    for (const [id, one] of all.entries()) if (nowMs - one.atMs >= EXPECTED_WITHIN_MS || isStored(one)) all.delete(id);
    if (all.size === 0) this.#expected.delete(key);
    return Array.from(all.entries(), ([, one]) => one);
  }

  async #write(namespace: string, name: string, change: Change): Promise<void> {
    const write = { resource: this.#quotas, namespace, name, subresource: "status" };
    // A quota that is gone limits nothing.
    await updateAsServer(this.#deps(), write, (current) => changed(current, change), { internal: true });
  }
}

async function changed(current: ApiObject, change: Change): Promise<ApiObject> {
  const quota = current as unknown as ResourceQuota;
  const next = await change(quota);
  if (next === undefined) return current;
  const hard = next.hard ?? quota.status?.hard ?? {};
  return { ...current, status: { hard, used: writeAmounts(next.used) } };
}
