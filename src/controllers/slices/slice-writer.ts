// Writes what was planned for the slices of one owner, and knows whether the cache shows it yet: nothing is planned from
// slices as they were before the last write.

import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import { isOlderVersion } from "../framework/resource-version.ts";
import type { SlicePlan } from "./pack-slices.ts";

interface Written {
  /** The versions of what was written last, by uid; undefined for what was deleted. */
  readonly versions: Map<string, string | undefined>;
  /** The cache was found to be behind. */
  waits: boolean;
}

export class SliceWriter {
  readonly #client: Client;
  readonly #slices: Informer<EndpointSlice>;
  readonly #written = new Map<string, Written>();

  constructor(client: Client, slices: Informer<EndpointSlice>) {
    this.#client = client;
    this.#slices = slices;
  }

  /** Whether the cache shows everything that was written for this key. While it does not, changes wake the key. */
  isCurrent(key: string, slices: readonly Stored<EndpointSlice>[]): boolean {
    const written = this.#written.get(key);
    if (written === undefined) return true;
    const followed = this.#slices.resourceVersion;
    const seen = new Set(slices.map(({ metadata }) => metadata.uid));
    for (const [uid, version] of written.versions) {
      const shown = version === undefined ? !seen.has(uid) : !isOlderVersion(followed, version);
      if (shown) continue;
      written.waits = true;
      return false;
    }
    this.#written.delete(key);
    return true;
  }

  /** Whether a change of a slice is news: not what was just written for this key, or what it waits for. */
  isNews(key: string, { metadata }: Stored<EndpointSlice>, deleted: boolean): boolean {
    const written = this.#written.get(key);
    if (written === undefined || written.waits || !written.versions.has(metadata.uid)) return true;
    const version = written.versions.get(metadata.uid);
    return deleted ? version !== undefined : version !== metadata.resourceVersion;
  }

  forget(key: string): void {
    this.#written.delete(key);
  }

  /** With `mayCreate` unset nothing new is made: the owner is going. A namespace that ends takes nothing new either. */
  async write(key: string, namespace: string, plan: SlicePlan, mayCreate: boolean): Promise<void> {
    const slices = this.#client.discovery.v1.endpointSlices(namespace);
    const note = ({ metadata }: Stored<EndpointSlice>, deleted = false): void => {
      const written = this.#written.get(key) ?? { versions: new Map(), waits: false };
      written.versions.set(metadata.uid, deleted ? undefined : metadata.resourceVersion);
      this.#written.set(key, written);
    };
    for (const draft of mayCreate ? plan.create : []) {
      try {
        note(await slices.create(draft));
      } catch (error) {
        if (isNamespaceEnding(error)) return;
        throw error;
      }
    }
    for (const slice of plan.update) note(await slices.update(slice));
    for (const slice of plan.remove) {
      const { name, uid } = slice.metadata;
      try {
        await slices.delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!isApiError(error, "NotFound")) throw error;
      }
      note(slice, true);
    }
  }
}

export function isNamespaceEnding(error: unknown): boolean {
  return isApiError(error, "Forbidden") && error.causes.some(({ reason }) => reason === "NamespaceTerminating");
}
