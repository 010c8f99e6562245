// How many objects of one resource there are in each namespace, from their metadata. Nothing is kept of an object.

import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { Client } from "../../client/client.ts";
import type { DiscoveredResource } from "../../client/discovery.ts";
import type { Stored } from "../../client/informer.ts";

interface ObjectCountsParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly served: DiscoveredResource;
  readonly log: Log;
  /** Told of namespaces in which there are fewer or more than before. */
  readonly onChange: (namespace: string) => void;
  /** Everything has been counted, for the first time or anew. */
  readonly onSynced: () => void;
}

export class ObjectCounts {
  /** By the monotonic clock. */
  readonly startedMs: number;
  readonly #parts: ObjectCountsParts;
  readonly #stop = new AbortController();
  #counts: Map<string, number> | undefined;

  constructor(parts: ObjectCountsParts) {
    this.#parts = parts;
    this.startedMs = parts.clock.monotonicMs();
    void this.#run().catch((error: unknown) => {
      const { log, served } = parts;
      if (!this.#stop.signal.aborted)
        log.warn({ err: error, resource: served.resource }, "nothing is counted any more");
    });
  }

  /** Undefined as long as nobody knows. */
  of(namespace: string): number | undefined {
    return this.#counts === undefined ? undefined : (this.#counts.get(namespace) ?? 0);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #run(): Promise<void> {
    const { client, served, log, onChange, onSynced } = this.#parts;
    const changes = client.named({ ...served, metadataOnly: true }).watch({
      keepTrying: true,
      signal: this.#stop.signal,
      transform: identity,
      onRetry: (error) => log.debug({ err: error, resource: served.resource }, "a resource is counted anew"),
    });
    for await (const change of changes) {
      switch (change.type) {
        case "SYNC":
          this.#counts = new Map();
          for (const { metadata } of change.items) this.#add(metadata.namespace ?? "", 1);
          onSynced();
          break;
        case "ADDED":
        case "DELETED": {
          const { namespace = "" } = change.object.metadata;
          this.#add(namespace, change.type === "ADDED" ? 1 : -1);
          onChange(namespace);
          break;
        }
        case "MODIFIED":
        case "BOOKMARK":
          break;
      }
    }
  }

  #add(namespace: string, more: number): void {
    const counts = this.#counts!;
    const count = (counts.get(namespace) ?? 0) + more;
    if (count > 0) counts.set(namespace, count);
    else counts.delete(namespace);
  }
}

/** All that is read of an object. */
function identity<T>({ metadata: { name, namespace, uid, resourceVersion, creationTimestamp } }: Stored<T>): Stored<T> {
  const metadata = { name, uid, resourceVersion, creationTimestamp, ...(namespace === undefined ? {} : { namespace }) };
  return { metadata } as Stored<T>;
}
