// Checks the servers behind again and again, also when their services change, and writes what it finds into the status of
// their APIServices.

import type { Background } from "../../../base/background.ts";
import type { BackgroundLoop, Outcome } from "../../../base/background-loop.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Log } from "../../../base/log.ts";
import type { APIService } from "../../../kinds/apiregistration/api-service.ts";
import type { ApiObject } from "../../../meta/object.ts";
import { timeOfMs } from "../../../meta/time.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { updateAsServer } from "../../../registry/server-writes.ts";
import type { WriteDeps } from "../../../registry/write.ts";
import type { ServiceNetwork } from "../service-network.ts";
import type { AggregationMetrics } from "./aggregation-metrics.ts";
import { checkAvailability, LOCAL } from "./availability.ts";
import type { Backends } from "./backend.ts";
import { type Condition, type RegisteredApi, type RemoteApi, sameRegistration } from "./remote-api.ts";
import type { RemoteApis } from "./remote-apis.ts";

/** A server that was reached is asked again after this time, one that was not after the shorter. */
const CHECK_EVERY_MS = 30_000;
const RETRY_EVERY_MS = 5_000;
/** Whoever may write a Service must not have its server called as often as that: one check in this time is enough. */
const MIN_GAP_MS = 1_000;
/** Checks wait for servers that may not answer: the others go on meanwhile. */
const MAX_AT_ONCE = 64;

interface AvailabilityChecksParts {
  readonly deps: WriteDeps;
  readonly catalog: Catalog;
  readonly network: ServiceNetwork;
  readonly backends: Backends;
  readonly apis: RemoteApis;
  readonly background: Background;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AggregationMetrics | undefined;
  /** A server has just been reached. */
  readonly onReached: (api: RemoteApi) => Promise<void>;
}

export class AvailabilityChecks {
  readonly #parts: AvailabilityChecksParts;
  /** By the name of the APIService. */
  readonly #loop: BackgroundLoop;
  /** When each was checked last, on the monotonic clock. */
  readonly #checkedAtMs = new Map<string, number>();

  constructor(parts: AvailabilityChecksParts) {
    this.#parts = parts;
    this.#loop = parts.background.loop({
      name: "apiservices",
      failure: "a server behind could not be checked, trying again",
      keyField: "apiService",
      log: parts.log,
      retryMs: { first: RETRY_EVERY_MS, max: RETRY_EVERY_MS },
      maxAtOnce: MAX_AT_ONCE,
      reconcile: (name) => this.#check(name),
    });
    parts.apis.onChange((now, before) => this.#changed(now, before));
    parts.network.onChange((namespace, name) => this.#serviceChanged(namespace, name));
  }

  close(): void {
    this.#loop.close();
  }

  #changed(now: RegisteredApi | undefined, before: RegisteredApi | undefined): void {
    if (now === undefined) {
      if (before !== undefined) this.#forget(before.name);
      return;
    }
    const known = before !== undefined && before.uid === now.uid && sameRegistration(now.remote, before.remote);
    // Our own writes of the status come back here too; they change nothing that a check depends on.
    if (known && now.condition !== undefined) return;
    this.#loop.enqueue(now.name);
  }

  #serviceChanged(namespace: string, name: string): void {
    for (const { service, name: apiService } of this.#parts.apis.all())
      if (service.namespace === namespace && service.name === name)
        this.#loop.enqueue(apiService, this.#gapMs(apiService));
  }

  /** How long the next check of it has to wait. */
  #gapMs(apiService: string): number {
    const checkedAtMs = this.#checkedAtMs.get(apiService);
    if (checkedAtMs === undefined) return 0;
    return Math.max(0, checkedAtMs + MIN_GAP_MS - this.#parts.clock.monotonicMs());
  }

  #forget(name: string): void {
    this.#loop.forget(name);
    this.#checkedAtMs.delete(name);
    this.#parts.metrics?.forget(name);
  }

  async #check(name: string): Promise<Outcome> {
    const { network, backends, apis, metrics } = this.#parts;
    const api = apis.get(name);
    if (api === undefined) return "done";
    this.#checkedAtMs.set(name, this.#parts.clock.monotonicMs());
    const condition = api.remote === undefined ? LOCAL : await checkAvailability(network, backends, api.remote);
    if (this.#loop.closed || apis.get(name)?.uid !== api.uid) return "done";
    const available = condition.status === "True";
    metrics?.available(name, available);
    if (api.condition?.status === "True" && !available) metrics?.becameUnavailable(name, condition.reason);
    await this.#write(api, condition);
    if (api.remote === undefined) return "done";
    if (available) await this.#parts.onReached(api.remote);
    return { againInMs: available ? CHECK_EVERY_MS : RETRY_EVERY_MS };
  }

  async #write({ name, uid, condition: known }: RegisteredApi, condition: Condition): Promise<void> {
    const { status, reason, message } = condition;
    if (known?.status === status && known.reason === reason && known.message === message) return;
    const { catalog, deps, clock } = this.#parts;
    const resource = catalog.own(deps.names.group("apiregistration"), "v1", "apiservices")!;
    const write = { resource, name, subresource: "status", manager: "kube-apiserver" };
    const change = (current: ApiObject) => {
      const conditions = (current as unknown as APIService).status?.conditions ?? [];
      const old = conditions.find(({ type }) => type === "Available");
      const lastTransitionTime = old?.status === status ? old.lastTransitionTime : timeOfMs(clock.nowMs());
      const available = { type: "Available", status, lastTransitionTime, reason, message };
      const all =
        old === undefined ? [...conditions, available] : conditions.map((one) => (one === old ? available : one));
      return { ...current, status: { conditions: all } };
    };
    await updateAsServer(deps, write, change, { uid });
  }
}
