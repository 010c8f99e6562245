// Every namespace has a service account `default`, so that pods can be created in it: what `plinth up` does where no
// controller manager runs.

import type { Background } from "../../base/background.ts";
import type { BackgroundLoop } from "../../base/background-loop.ts";
import { isStatusError } from "../../meta/status-error.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import { createAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";

const NAME = "default";
/** Accounts that are created side by side. */
const MAX_AT_ONCE = 16;

export class DefaultServiceAccounts {
  readonly #deps: WriteDeps;
  readonly #catalog: Catalog;
  readonly #loop: BackgroundLoop;
  readonly #namespaces: ObjectMirror<string>;
  readonly #accounts: ObjectMirror<string>;

  constructor(deps: WriteDeps, catalog: Catalog, background: Background) {
    this.#deps = deps;
    this.#catalog = catalog;
    this.#loop = background.loop({
      name: "default-service-accounts",
      failure: "the default service account could not be created, trying again",
      keyField: "namespace",
      maxAtOnce: MAX_AT_ONCE,
      reconcile: async (namespace) => {
        await this.#ensure(namespace);
        return "done";
      },
    });
    this.#namespaces = new ObjectMirror(catalog.find("", "v1", "namespaces")!.store!, {
      project: ({ metadata }) => (metadata.deletionTimestamp === undefined ? metadata.name : undefined),
      onChange: (_key, name) => {
        if (name !== undefined) this.#loop.enqueue(name);
      },
    });
    this.#accounts = new ObjectMirror(catalog.find("", "v1", "serviceaccounts")!.store!, {
      project: ({ metadata }) => (metadata.name === NAME ? metadata.namespace : undefined),
      onChange: (_key, now, before) => {
        if (now === undefined && before !== undefined) this.#loop.enqueue(before);
      },
    });
  }

  /** Resolves when every namespace has its account. */
  async start(): Promise<void> {
    await this.#accounts.ready();
    await this.#namespaces.ready();
    await Promise.all([...this.#namespaces.values()].map((namespace) => this.#ensure(namespace)));
  }

  close(): void {
    this.#loop.close();
    this.#namespaces.close();
    this.#accounts.close();
  }

  async #ensure(namespace: string): Promise<void> {
    if (this.#accounts.get(namespace, NAME) !== undefined || this.#namespaces.get("", namespace) === undefined) return;
    const resource = this.#catalog.find("", "v1", "serviceaccounts")!;
    try {
      await createAsServer(this.#deps, { resource, namespace, name: NAME }, {});
    } catch (error) {
      // The namespace has ended meanwhile.
      if (!isStatusError(error, "Forbidden") && !isStatusError(error, "NotFound")) throw error;
    }
  }
}
