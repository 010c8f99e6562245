// The informers of one process: whoever asks for the same resource, namespace and selectors gets the same one.

import type { Informer, InformerOptions } from "./informer.ts";
import type { ResourceClient } from "./resource-client.ts";
import type { ApiKind, ResourceType } from "./resources/resource-type.ts";

export interface SharedInformersOptions {
  /** Of all of them; see InformerOptions. */
  readonly withoutManagedFields?: boolean;
  /** Told of failures that are tried again, and of handlers that throw. */
  readonly onError?: (error: unknown) => void;
}

export class SharedInformers {
  readonly #client: ResourceClient;
  readonly #options: SharedInformersOptions;
  readonly #informers = new Map<string, Informer<never>>();
  #started = false;

  constructor(client: ResourceClient, options: SharedInformersOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** Indexes are added to those that others asked for; a transform is the first one's. Begins at once after start(). */
  of<T>(kind: ApiKind<T>, options: InformerOptions<T> = {}): Informer<T> {
    const made = this.#client.informer(kind, { ...this.#options, ...options });
    const { group, version, resource } = made.type;
    const { namespace = "", labelSelector = "", fieldSelector = "" } = options;
    const id = JSON.stringify([group, version, resource, namespace, labelSelector, fieldSelector]);
    const known = this.#informers.get(id) as Informer<T> | undefined;
    if (known !== undefined) {
      known.addIndexes(options.indexes ?? {});
      return known;
    }
    this.#informers.set(id, made as unknown as Informer<never>);
    if (this.#started) made.start();
    return made;
  }

  start(): void {
    this.#started = true;
    for (const informer of this.#informers.values()) informer.start();
  }

  /** All that have been asked for so far; of those that `awaited` says no to, nobody knows. */
  async whenSynced(awaited: (type: ResourceType) => boolean = () => true): Promise<void> {
    const waiting = [...this.#informers.values()].filter(({ type }) => awaited(type));
    await Promise.all(waiting.map((informer) => informer.whenSynced()));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }
}
