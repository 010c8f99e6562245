// The informers of one process: whoever asks for the same resource, namespace and selectors gets the same one.

import { definedOnly } from "../base/defined-only.ts";
import { isApiError } from "./api-error.ts";
import { type Discovery, discover } from "./discovery.ts";
import type { Informer, InformerOptions } from "./informer.ts";
import type { ResourceClient } from "./resource-client.ts";
import { type ApiKind, type ResourceType, resourceTypeOf } from "./resources/resource-type.ts";

interface SharedInformersOptions {
  /** Of all of them; see InformerOptions. */
  readonly withoutManagedFields?: boolean | undefined;
  /** Told of failures that are tried again, and of handlers that throw. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

export class SharedInformers {
  readonly #client: ResourceClient;
  readonly #options: SharedInformersOptions;
  readonly #informers = new Map<string, Informer<never>>();
  /** Those that leave no object and nothing of its metadata out but its managers. */
  readonly #whole = new Set<Informer<object>>();
  readonly #stop = new AbortController();
  #started = false;
  #served: { readonly askedMs: number; readonly discovery: Promise<Discovery | undefined> } | undefined;

  constructor(client: ResourceClient, options: SharedInformersOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** Indexes are added to those that others asked for; a transform is the first one's. Begins at once after start(). */
  of<T>(kind: ApiKind<T>, options: InformerOptions<T> = {}): Informer<T> {
    const { group, version, resource } = resourceTypeOf(kind, this.#client.names);
    const { namespace = "", labelSelector = "", fieldSelector = "" } = options;
    // Where nobody says what has changed, all are followed.
    const onlyChanged = options.onlyChanged === true && this.#client.knowsEmptyResources;
    const id = JSON.stringify([group, version, resource, namespace, labelSelector, fieldSelector, onlyChanged]);
    const known = this.#informers.get(id) as Informer<T> | undefined;
    if (known !== undefined) {
      known.addIndexes(options.indexes ?? {});
      return known;
    }
    const made = this.#client.informer(kind, { ...this.#options, ...definedOnly(options) });
    this.#informers.set(id, made as unknown as Informer<never>);
    const isOfAll = namespace === "" && labelSelector === "" && fieldSelector === "" && !onlyChanged;
    if (isOfAll && options.transform === undefined) this.#whole.add(made as unknown as Informer<object>);
    if (this.#started) made.start();
    return made;
  }

  /** An informer of all objects of a resource, in whatever version, where somebody has asked for one. */
  following(group: string, resource: string): Informer<object> | undefined {
    for (const informer of this.#whole.values()) {
      const { type } = informer;
      if (type.group === group && type.resource === resource) return informer;
    }
    return undefined;
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

  /**
   * All but those of resources that the server does not serve, of which nothing can be there: those are told of once each.
   * A server that does not say what it serves is asked again, and one that tells us nothing serves everything.
   */
  async whenServedSynced(onAbsent: (type: ResourceType) => void = () => undefined): Promise<void> {
    const discovery = await this.served();
    if (discovery === undefined) return this.whenSynced();
    const { resources, unknown } = discovery;
    const served = new Set(resources.map(resourceId));
    await this.whenSynced((type) => {
      const isOutOfReach = unknown.some(({ group, version }) => group === type.group && version === type.version);
      const isThere = isOutOfReach || served.has(resourceId(type));
      if (!isThere) onAbsent(type);
      return isThere;
    });
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error("the informers were stopped"));
    await Promise.all([...this.#informers.values()].map((informer) => informer.stop()));
  }

  /** What the server serves: those who begin together ask once. Undefined for who may not ask. */
  async served(): Promise<Discovery | undefined> {
    const { clock } = this.#client;
    const nowMs = clock.monotonicMs();
    if (this.#served === undefined || nowMs - this.#served.askedMs > SERVED_KEPT_MS) {
      const served = { askedMs: nowMs, discovery: this.#discovery() };
      this.#served = served;
      // Who asks later is not told why this one failed.
      served.discovery.catch(() => {
        if (this.#served === served) this.#served = undefined;
      });
    }
    return this.#served.discovery;
  }

  async #discovery(): Promise<Discovery | undefined> {
    const { signal } = this.#stop;
    for (;;) {
      try {
        return await discover(this.#client.transport, { signal });
      } catch (error) {
        signal.throwIfAborted();
        if (isApiError(error, "Forbidden")) return undefined;
        this.#options.onError?.(error);
        await this.#client.clock.sleep(DISCOVERY_RETRY_MS, signal);
      }
    }
  }
}

const SERVED_KEPT_MS = 1_000;
const DISCOVERY_RETRY_MS = 1_000;

const resourceId = ({ group, version, resource }: Pick<ResourceType, "group" | "version" | "resource">): string =>
  `${group}/${version}/${resource}`;
