// Charges a quota: compare and set of status.used on the quota itself, so that servers cannot spend the same twice.

import { type Amounts, writeAmounts } from "../../kinds/core/quota/amounts.ts";
import type { ResourceQuota } from "../../kinds/core/resource-quota.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

/** What is used, from the quota as it stands; undefined leaves it alone. May refuse by throwing. */
type Change = (quota: ResourceQuota) => Amounts | undefined;

export class QuotaLedger {
  readonly #deps: () => WriteDeps;
  readonly #quotas: ServedResource;
  /** Writers of one quota in this process go one after the other: they would only make each other try again. */
  readonly #queues = new Map<string, Promise<void>>();

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

  async #write(namespace: string, name: string, change: Change): Promise<void> {
    const write = { resource: this.#quotas, namespace, name, subresource: "status" };
    // A quota that is gone limits nothing.
    await updateAsServer(this.#deps(), write, (current) => changed(current, change), { internal: true });
  }
}

function changed(current: ApiObject, change: Change): ApiObject {
  const { status } = current as unknown as ResourceQuota;
  const used = change(current as unknown as ResourceQuota);
  return used === undefined ? current : { ...current, status: { ...status, used: writeAmounts(used) } };
}
