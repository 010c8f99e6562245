// What lives in a namespace goes with it: empties namespaces that are ending, then lets them go.
// Requirements: document 1, "Terminology": instances live in a namespace and are deleted with it.

import type { Log } from "../../base/log.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { deleteAsServer, updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

/** While something with finalizers remains, the namespace is looked at again after this time. */
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

export class NamespaceContent {
  readonly #deps: WriteDeps;
  readonly #catalog: Catalog;
  readonly #log: Log;
  readonly #mirror: ObjectMirror<{ readonly name: string }>;
  readonly #busy = new Set<string>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #closed = false;

  constructor(deps: WriteDeps, catalog: Catalog, namespaces: ServedResource, log: Log) {
    this.#deps = deps;
    this.#catalog = catalog;
    this.#log = log;
    this.#mirror = new ObjectMirror(namespaces.store!, {
      project: (namespace) =>
        mustEmpty(namespace, deps.names.namespaceFinalizer) ? { name: namespace.metadata.name ?? "" } : undefined,
      onChange: (_key, now) => {
        if (now !== undefined) this.#schedule(now.name, RETRY_MS, 0);
      },
    });
  }

  start(): Promise<void> {
    return this.#mirror.ready();
  }

  close(): void {
    this.#closed = true;
    this.#mirror.close();
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #schedule(name: string, nextMs: number, inMs: number): void {
    if (this.#closed || this.#busy.has(name)) return;
    this.#busy.add(name);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#empty(name)
        .then((empty) => {
          this.#busy.delete(name);
          if (!empty && this.#mirror.get("", name) !== undefined)
            this.#schedule(name, Math.min(nextMs * 2, MAX_RETRY_MS), nextMs);
        })
        .catch((error: unknown) => {
          this.#busy.delete(name);
          this.#log.warn({ err: error, namespace: name }, "a namespace could not be emptied, trying again");
          this.#schedule(name, Math.min(nextMs * 2, MAX_RETRY_MS), nextMs);
        });
    }, inMs).unref();
    this.#timers.add(timer);
  }

  /** One pass: true when nothing is left and the namespace has been let go. */
  async #empty(namespace: string): Promise<boolean> {
    let left = 0;
    const seen = new Set<ServedResource["store"]>();
    for (const resource of this.#catalog.all()) {
      const { store, kind } = resource;
      if (
        store === undefined ||
        kind.scope !== "Namespaced" ||
        (!resource.storedForm && !resource.custom) ||
        seen.has(store)
      )
        continue;
      seen.add(store);
      left += await this.#emptyResource(resource, namespace);
    }
    if (left > 0) return false;
    await this.#removeFinalizer(namespace);
    return true;
  }

  async #emptyResource(resource: ServedResource, namespace: string): Promise<number> {
    const store = resource.store!;
    const { entries } = await store.engine.list(store.scopeOf(namespace));
    let left = 0;
    for (const { key } of entries) {
      const name = key.slice(store.scopeOf(namespace).length);
      try {
        const gone = await deleteAsServer(
          this.#deps,
          { resource, namespace, name },
          { propagationPolicy: "Background", gracePeriodSeconds: 0 },
        );
        if (!gone) left += 1;
      } catch {
        left += 1;
      }
    }
    return left;
  }

  async #removeFinalizer(namespace: string): Promise<void> {
    const namespaces = this.#catalog.find("", "v1", "namespaces")!;
    const write = { resource: namespaces, name: namespace, subresource: "finalize" };
    const change = (current: ApiObject) => {
      const { finalizers = [], ...spec } = (current["spec"] ?? {}) as { finalizers?: string[] };
      const kept = finalizers.filter((finalizer) => finalizer !== this.#deps.names.namespaceFinalizer);
      return { ...current, spec: { ...spec, finalizers: kept } };
    };
    await updateAsServer(this.#deps, write, change, { internal: true });
  }
}

function mustEmpty(namespace: ApiObject, finalizer: string): boolean {
  const { finalizers = [] } = (namespace["spec"] ?? {}) as { finalizers?: string[] };
  return namespace.metadata.deletionTimestamp !== undefined && finalizers.includes(finalizer);
}
