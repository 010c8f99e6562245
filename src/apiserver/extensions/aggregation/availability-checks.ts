// Checks the servers behind again and again, also when their services change, and writes what it finds into the status of
// their APIServices.

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

export interface AvailabilityChecksParts {
  readonly deps: WriteDeps;
  readonly catalog: Catalog;
  readonly network: ServiceNetwork;
  readonly backends: Backends;
  readonly apis: RemoteApis;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: AggregationMetrics | undefined;
  /** A server has just been reached. */
  readonly onReached: (api: RemoteApi) => Promise<void>;
}

export class AvailabilityChecks {
  readonly #parts: AvailabilityChecksParts;
  /** By the name of the APIService. */
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<string>();
  /** APIServices that changed while they were checked. */
  readonly #again = new Set<string>();
  #closed = false;

  constructor(parts: AvailabilityChecksParts) {
    this.#parts = parts;
    parts.apis.onChange((now, before) => this.#changed(now, before));
    parts.network.onChange((namespace, name) => this.#serviceChanged(namespace, name));
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #changed(now: RegisteredApi | undefined, before: RegisteredApi | undefined): void {
    if (now === undefined) {
      if (before !== undefined) this.#forget(before.name);
      return;
    }
    const known = before !== undefined && before.uid === now.uid && sameRegistration(now.remote, before.remote);
    // Our own writes of the status come back here too; they change nothing that a check depends on.
    if (known && now.condition !== undefined) return;
    this.#schedule(now.name, 0);
  }

  #serviceChanged(namespace: string, name: string): void {
    for (const { service, name: apiService } of this.#parts.apis.all())
      if (service.namespace === namespace && service.name === name) this.#schedule(apiService, 0);
  }

  #forget(name: string): void {
    clearTimeout(this.#timers.get(name));
    this.#timers.delete(name);
    this.#parts.metrics?.forget(name);
  }

  #schedule(name: string, inMs: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timers.get(name));
    this.#timers.set(name, setTimeout(() => this.#run(name), inMs).unref());
  }

  #run(name: string): void {
    if (this.#running.has(name)) {
      this.#again.add(name);
      return;
    }
    this.#timers.delete(name);
    this.#running.add(name);
    this.#check(name)
      .catch((error: unknown) => {
        this.#parts.log.warn({ err: error, apiService: name }, "a server behind could not be checked, trying again");
        return RETRY_EVERY_MS;
      })
      .then((nextInMs) => {
        this.#running.delete(name);
        if (this.#again.delete(name)) this.#schedule(name, 0);
        else if (nextInMs !== undefined && !this.#timers.has(name)) this.#schedule(name, nextInMs);
      });
  }

  /** In how many milliseconds the next check is due, if one is. */
  async #check(name: string): Promise<number | undefined> {
    const { network, backends, apis, metrics } = this.#parts;
    const api = apis.get(name);
    if (api === undefined || this.#closed) return undefined;
    const condition = api.remote === undefined ? LOCAL : await checkAvailability(network, backends, api.remote);
    if (this.#closed || apis.get(name)?.uid !== api.uid) return undefined;
    const available = condition.status === "True";
    metrics?.available(name, available);
    if (api.condition?.status === "True" && !available) metrics?.becameUnavailable(name, condition.reason);
    await this.#write(api, condition);
    if (api.remote === undefined) return undefined;
    if (available) await this.#parts.onReached(api.remote);
    return available ? CHECK_EVERY_MS : RETRY_EVERY_MS;
  }

  async #write({ name, uid, condition: known }: RegisteredApi, condition: Condition): Promise<void> {
    const { status, reason, message } = condition;
    if (known?.status === status && known.reason === reason && known.message === message) return;
    const { catalog, deps, clock } = this.#parts;
    const resource = catalog.find(deps.names.group("apiregistration"), "v1", "apiservices")!;
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
