// How the agent reads ConfigMaps and Secrets (`configMapAndSecretChangeDetectionStrategy`): asked for each time, or remembered
// for a while with `Cache`. `Watch` asks as `Get` does: a watch for every object of every pod would show nothing sooner, since
// pods are given what has changed when they are looked after. As a watch would, it has what it saw last while the API is away.

import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Stored } from "../../client/informer.ts";
import type { ConfigMap } from "../../kinds/core/config-map.ts";
import type { Secret } from "../../kinds/core/secret.ts";

interface ObjectReaderOptions {
  readonly client: Client;
  /** How long an object is taken as it was; 0 asks each time. */
  readonly maxAgeMs: () => number;
  /** Whether nothing is remembered, not for the time either in which the API does not answer. */
  readonly forgets: boolean;
}

interface Remembered<T> {
  readonly object: T;
  askedMs: number;
  usedMs: number;
}

/** What nobody has asked for so long is forgotten. */
const FORGET_AFTER_MS = 600_000;

export class ObjectReader {
  readonly #options: ObjectReaderOptions;
  readonly #configMaps = new Map<string, Remembered<Stored<ConfigMap>>>();
  readonly #secrets = new Map<string, Remembered<Stored<Secret>>>();

  constructor(options: ObjectReaderOptions) {
    this.#options = options;
  }

  /** Undefined where there is none. Fails where the API does and nothing is remembered. */
  async configMap(namespace: string, name: string): Promise<Stored<ConfigMap> | undefined> {
    const ask = () => this.#options.client.core.v1.configMaps(namespace).find(name);
    return await this.#read(this.#configMaps, `${namespace}/${name}`, ask);
  }

  async secret(namespace: string, name: string): Promise<Stored<Secret> | undefined> {
    const ask = () => this.#options.client.core.v1.secrets(namespace).find(name);
    return await this.#read(this.#secrets, `${namespace}/${name}`, ask);
  }

  /** A pod of the namespace is new, or another: it gets what there is now. */
  expectChanges(namespace: string): void {
    for (const known of [this.#configMaps, this.#secrets])
      for (const [key, each] of known) if (key.startsWith(`${namespace}/`)) each.askedMs = Number.NEGATIVE_INFINITY;
  }

  async #read<T>(
    known: Map<string, Remembered<T>>,
    key: string,
    ask: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const { client, maxAgeMs, forgets } = this.#options;
    if (forgets) return await ask();
    const ageMs = maxAgeMs();
    const nowMs = client.clock.monotonicMs();
    const remembered = known.get(key);
    if (remembered !== undefined) {
      remembered.usedMs = nowMs;
      if (nowMs - remembered.askedMs < ageMs) return remembered.object;
    }
    try {
      const object = await ask();
      if (object === undefined) known.delete(key);
      else known.set(key, { object, askedMs: nowMs, usedMs: nowMs });
      return object;
    } catch (error) {
      if (remembered === undefined || isApiError(error, "Forbidden")) throw error;
      return remembered.object;
    } finally {
      for (const [each, { usedMs }] of known) if (nowMs - usedMs > FORGET_AFTER_MS) known.delete(each);
    }
  }
}
