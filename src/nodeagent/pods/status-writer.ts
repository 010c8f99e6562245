// Tells the API the status of pods: the newest of each, one write at a time, again after a failure.

import { BackgroundLoop, type Outcome } from "../../base/background-loop.ts";
import type { Clock } from "../../base/clock.ts";
import type { QueueMetrics } from "../../base/queue-metrics.ts";
import { isApiError } from "../../client/api-error.ts";
import type { Client } from "../../client/client.ts";
import type { Stored } from "../../client/informer.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { PodStatus } from "./pod-status.ts";
import { statusPatch } from "./status-patch.ts";

interface StatusWriterDeps {
  readonly client: Client;
  readonly clock: Clock;
  /** The pod of the API that tells of this one: itself, or its mirror. Undefined while there is none. */
  readonly target: (uid: string) => Stored<Pod> | undefined;
  readonly onError: (error: unknown, uid: string) => void;
  /** How long the API did not know of a change. */
  readonly onTold?: (seconds: number) => void;
  readonly metrics?: QueueMetrics;
}

const MAX_WRITES_AT_ONCE = 8;
const RETRY_MS = { first: 500, max: 10_000 };

export class StatusWriter {
  readonly #deps: StatusWriterDeps;
  readonly #wanted = new Map<string, PodStatus>();
  /** What the API answered to the last write: the watch may be behind it. */
  readonly #written = new Map<string, Stored<Pod>>();
  /** Since when the API has another status than it should. */
  readonly #sinceMs = new Map<string, number>();
  readonly #loop: BackgroundLoop;

  constructor(deps: StatusWriterDeps) {
    this.#deps = deps;
    this.#loop = new BackgroundLoop({
      clock: deps.clock,
      maxAtOnce: MAX_WRITES_AT_ONCE,
      retryMs: RETRY_MS,
      onError: deps.onError,
      reconcile: (uid, signal) => this.#write(uid, signal),
      ...(deps.metrics === undefined ? {} : { metrics: deps.metrics }),
    });
  }

  set(uid: string, status: PodStatus): void {
    this.#wanted.set(uid, status);
    if (!this.#sinceMs.has(uid)) this.#sinceMs.set(uid, this.#deps.clock.monotonicMs());
    this.#loop.enqueue(uid);
  }

  /** The API may have another status than the one that was told: it is told again. */
  check(uid: string): void {
    if (this.#wanted.has(uid)) this.#loop.enqueue(uid);
  }

  /** When the newest status has been told, or could not be. */
  flush(uid: string): Promise<void> {
    return this.#loop.settle(uid);
  }

  forget(uid: string): void {
    this.#wanted.delete(uid);
    this.#written.delete(uid);
    this.#sinceMs.delete(uid);
    this.#loop.forget(uid);
  }

  close(): void {
    this.#loop.close();
  }

  async #write(uid: string, signal: AbortSignal): Promise<Outcome> {
    const status = this.#wanted.get(uid);
    const seen = this.#deps.target(uid);
    if (status === undefined || seen === undefined) return "done";
    const current = newest(seen, this.#written.get(uid));
    const patch = statusPatch(current.status, status);
    const sinceMs = this.#sinceMs.get(uid);
    this.#sinceMs.delete(uid);
    if (patch === undefined) return "done";
    const { namespace, name } = current.metadata;
    const strategic = { metadata: { uid: current.metadata.uid }, status: patch };
    try {
      const answer = await this.#deps.client.core.v1.pods(namespace).status.patch(name, { strategic }, { signal });
      this.#written.set(uid, answer);
      if (sinceMs !== undefined) this.#deps.onTold?.((this.#deps.clock.monotonicMs() - sinceMs) / 1000);
    } catch (error) {
      // Gone, or another by the same name: nobody is left to tell.
      if (isApiError(error, "NotFound", "Conflict")) return "done";
      if (sinceMs !== undefined) this.#sinceMs.set(uid, sinceMs);
      throw error;
    }
    return "done";
  }
}

function newest(seen: Stored<Pod>, written: Stored<Pod> | undefined): Stored<Pod> {
  if (written === undefined || written.metadata.uid !== seen.metadata.uid) return seen;
  return BigInt(written.metadata.resourceVersion) > BigInt(seen.metadata.resourceVersion) ? written : seen;
}
