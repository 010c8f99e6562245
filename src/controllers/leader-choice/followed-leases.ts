// The leases that somebody is a candidate for, each followed by itself: of all leases most are the heartbeats of nodes.

import { kinds } from "../../client/built-in-kinds.ts";
import type { Client } from "../../client/client.ts";
import { type Informer, parseKeyText, type Stored } from "../../client/informer.ts";
import { unlessAborted } from "../../client/unless-aborted.ts";
import type { Lease } from "../../kinds/coordination/lease.ts";

interface FollowedLeasesParts {
  readonly client: Client;
  readonly onChange: (key: string) => void;
  readonly onError: (error: unknown) => void;
}

/** More leases than that have no candidates who mean it. */
const MAX_FOLLOWED = 1_000;
/** A lease that cannot be read keeps nobody from the others. */
const PATIENCE_MS = 5_000;

export class FollowedLeases {
  readonly #parts: FollowedLeasesParts;
  readonly #informers = new Map<string, Informer<Lease>>();
  #closed = false;

  constructor(parts: FollowedLeasesParts) {
    this.#parts = parts;
  }

  /** As it is now; undefined where there is none. From now on its changes are told of. Fails when nobody says in time. */
  async find(key: string): Promise<Stored<Lease> | undefined> {
    const informer = this.#informers.get(key) ?? this.#follow(key);
    await unlessAborted(informer.whenSynced(), this.#parts.client.clock.timeoutSignal(PATIENCE_MS));
    return informer.cache.get(key);
  }

  forget(key: string): void {
    const informer = this.#informers.get(key);
    this.#informers.delete(key);
    void informer?.stop();
  }

  close(): void {
    this.#closed = true;
    for (const key of [...this.#informers.keys()]) this.forget(key);
  }

  #follow(key: string): Informer<Lease> {
    if (this.#closed) throw new Error("leases are followed no more");
    if (this.#informers.size >= MAX_FOLLOWED) throw new Error(`candidates want more than ${MAX_FOLLOWED} leases`);
    const { client, onChange, onError } = this.#parts;
    const { namespace, name } = parseKeyText(key);
    const informer = client.informer(kinds.coordination.v1.leases, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      withoutManagedFields: true,
      onError,
    });
    this.#informers.set(key, informer);
    const changed = () => onChange(key);
    informer.addHandlers({ added: changed, updated: changed, deleted: changed });
    informer.start();
    return informer;
  }
}
