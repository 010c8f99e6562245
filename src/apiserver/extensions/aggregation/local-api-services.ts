// An APIService for every group and version that this server serves itself, kept in step with what it serves.

import type { Log } from "../../../base/log.ts";
import { isStatusError } from "../../../meta/status-error.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { createObject } from "../../registry/create-object.ts";
import { deleteObject } from "../../registry/delete-object.ts";
import { hookContext, type WriteDeps } from "../../registry/write.ts";
import { serverWrite } from "../../server-write.ts";
import { prioritiesOf } from "./priorities.ts";

/** Definitions that come together are registered together. */
const SETTLE_MS = 20;

interface LocalApi {
  readonly group: string;
  readonly version: string;
}

export class LocalApiServices {
  readonly #deps: WriteDeps;
  readonly #catalog: Catalog;
  readonly #log: Log;
  /** Names of the APIServices that stand for custom resources. */
  readonly #custom = new Set<string>();
  #stopListening: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(deps: WriteDeps, catalog: Catalog, log: Log) {
    this.#deps = deps;
    this.#catalog = catalog;
    this.#log = log;
  }

  async start(): Promise<void> {
    await this.#register();
    this.#stopListening = this.#catalog.onChange(() => this.#schedule());
  }

  close(): void {
    this.#closed = true;
    this.#stopListening?.();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#closed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#register().catch((error: unknown) =>
        this.#log.warn({ err: error }, "the registration of a group of custom resources failed"),
      );
    }, SETTLE_MS).unref();
  }

  async #register(): Promise<void> {
    const wanted = new Map<string, LocalApi>();
    // The group of the registrations themselves is not registered: it comes before all others.
    const own = this.#deps.names.group("apiregistration");
    for (const { group, kind } of this.#catalog.all())
      if (group !== own) wanted.set(`${kind.version}.${group}`, { group, version: kind.version });
    await Promise.all([...wanted].map(([name, api]) => this.#ensure(name, api)));
    for (const name of [...this.#custom]) if (!wanted.has(name)) await this.#remove(name);
  }

  async #ensure(name: string, { group, version }: LocalApi): Promise<void> {
    const { names } = this.#deps;
    const resource = this.#catalog.find(names.group("apiregistration"), "v1", "apiservices");
    const store = resource?.store;
    if (resource === undefined || store === undefined) return;
    const builtIn = names.groupKey(group);
    if (builtIn === undefined) this.#custom.add(name);
    // Whoever has put another server in its place has done so on purpose.
    if ((await store.get(store.keyOf("", name))) !== undefined) return;
    const [groupPriorityMinimum, versionPriority] = prioritiesOf(builtIn, version);
    const request = serverWrite(resource, name);
    const { object } = resource.rules.shape({
      apiVersion: resource.apiVersion,
      kind: "APIService",
      metadata: { name, labels: { [names.automanagedLabel]: builtIn === undefined ? "true" : "onstart" } },
      spec: { group, version, groupPriorityMinimum, versionPriority },
    });
    resource.rules.default(object, hookContext(this.#deps, request));
    try {
      await createObject(this.#deps, request, object);
    } catch (error) {
      if (!isStatusError(error, "AlreadyExists")) throw error;
    }
  }

  async #remove(name: string): Promise<void> {
    this.#custom.delete(name);
    const resource = this.#catalog.find(this.#deps.names.group("apiregistration"), "v1", "apiservices");
    const store = resource?.store;
    const entry = await store?.get(store.keyOf("", name));
    if (resource === undefined || store === undefined || entry === undefined) return;
    const { metadata } = store.decode(entry);
    if (metadata.labels?.[this.#deps.names.automanagedLabel] !== "true") return;
    try {
      await deleteObject(this.#deps, serverWrite(resource, name), {});
    } catch (error) {
      if (!isStatusError(error, "NotFound")) throw error;
    }
  }
}
