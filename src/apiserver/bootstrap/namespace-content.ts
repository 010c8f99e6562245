// What lives in a namespace goes with it: empties namespaces that are ending, then lets them go.
// Requirements: document 1, "Terminology": instances live in a namespace and are deleted with it.

import type { Background } from "../../base/background.ts";
import type { BackgroundLoop } from "../../base/background-loop.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { deleteAsServer, updateAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

/** While something with finalizers remains, the namespace is looked at again after this time. */
const RETRY_MS = { first: 500, max: 10_000 };
/** Namespaces that are emptied side by side. */
const MAX_AT_ONCE = 8;

export class NamespaceContent {
  readonly #deps: WriteDeps;
  readonly #catalog: Catalog;
  readonly #mirror: ObjectMirror<{ readonly name: string }>;
  readonly #loop: BackgroundLoop;

  constructor(deps: WriteDeps, catalog: Catalog, namespaces: ServedResource, background: Background) {
    this.#deps = deps;
    this.#catalog = catalog;
    this.#loop = background.loop({
      name: "namespaces",
      failure: "a namespace could not be emptied, trying again",
      keyField: "namespace",
      retryMs: RETRY_MS,
      maxAtOnce: MAX_AT_ONCE,
      reconcile: async (name) =>
        this.#mirror.get("", name) === undefined || (await this.#empty(name)) ? "done" : "retry",
    });
    this.#mirror = new ObjectMirror(namespaces.store!, {
      project: (namespace) =>
        mustEmpty(namespace, deps.names.namespaceFinalizer) ? { name: namespace.metadata.name ?? "" } : undefined,
      onChange: (_key, now) => {
        if (now !== undefined) this.#loop.enqueue(now.name);
      },
    });
  }

  start(): Promise<void> {
    return this.#mirror.ready();
  }

  close(): void {
    this.#loop.close();
    this.#mirror.close();
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
