// The groups and versions of other servers: follows their APIServices, checks them again and again, knows what they serve.

import type { Clock } from "../../../base/clock.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { Log } from "../../../base/log.ts";
import type { APIService } from "../../../kinds/apiregistration/api-service.ts";
import { isStatusError } from "../../../meta/status-error.ts";
import { timeOfMs } from "../../../meta/time.ts";
import type { Catalog } from "../../registry/catalog.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import { updateObject } from "../../registry/update-object.ts";
import type { WriteDeps } from "../../registry/write.ts";
import { serverWrite } from "../../server-write.ts";
import { type Availability, checkAvailability } from "./availability.ts";
import type { Backends } from "./backend.ts";
import { type RemoteApi, readRemoteApi } from "./remote-api.ts";

/** A server that was reached is asked again after this time, one that was not after the shorter. */
const CHECK_EVERY_MS = 30_000;
const RETRY_EVERY_MS = 5_000;

export interface RemoteApisParts {
  readonly deps: WriteDeps;
  readonly catalog: Catalog;
  readonly backends: Backends;
  readonly clock: Clock;
  readonly log: Log;
  /** What is shown in discovery is another now. */
  readonly onChange: () => void;
}

export class RemoteApis {
  readonly #parts: RemoteApisParts;
  readonly #mirror: ObjectMirror<RemoteApi>;
  readonly #byVersion = new Map<string, RemoteApi>();
  readonly #resources = new Map<string, readonly JsonObject[]>();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #closed = false;

  constructor(parts: RemoteApisParts) {
    this.#parts = parts;
    const { catalog, deps } = parts;
    this.#mirror = new ObjectMirror(catalog.find(deps.names.group("apiregistration"), "v1", "apiservices")!.store!, {
      project: (object) => readRemoteApi(object as unknown as APIService),
      onChange: (_key, now, before) => this.#changed(now, before),
    });
  }

  start(): Promise<void> {
    return this.#mirror.ready();
  }

  close(): void {
    this.#closed = true;
    this.#mirror.close();
    for (const timer of this.#timers.values()) clearTimeout(timer);
  }

  find(group: string, version: string): RemoteApi | undefined {
    return this.#byVersion.get(`${group}/${version}`);
  }

  all(): IterableIterator<RemoteApi> {
    return this.#byVersion.values();
  }

  /** What a server said it serves when it was last asked. */
  resourcesOf({ group, version }: RemoteApi): readonly JsonObject[] {
    return this.#resources.get(`${group}/${version}`) ?? [];
  }

  #changed(now: RemoteApi | undefined, before: RemoteApi | undefined): void {
    if (before !== undefined) this.#byVersion.delete(`${before.group}/${before.version}`);
    if (now !== undefined) this.#byVersion.set(`${now.group}/${now.version}`, now);
    if (now === undefined && before !== undefined) {
      this.#resources.delete(`${before.group}/${before.version}`);
      clearTimeout(this.#timers.get(before.name));
      this.#timers.delete(before.name);
    }
    // Our own writes of the status come back here too; they change nothing that a check depends on.
    const same = now !== undefined && before !== undefined && describe(now) === describe(before);
    if (now !== undefined && !same) this.#schedule(now.name, 0);
    if (now?.available !== before?.available || !same) this.#parts.onChange();
  }

  #schedule(name: string, inMs: number): void {
    if (this.#closed) return;
    clearTimeout(this.#timers.get(name));
    const timer = setTimeout(() => {
      this.#check(name).catch((error: unknown) => {
        this.#parts.log.warn({ err: error, apiService: name }, "a server behind could not be checked, trying again");
        this.#schedule(name, RETRY_EVERY_MS);
      });
    }, inMs).unref();
    this.#timers.set(name, timer);
  }

  async #check(name: string): Promise<void> {
    const api = this.#mirror.get("", name);
    if (api === undefined || this.#closed) return;
    const { catalog, backends } = this.#parts;
    const found = await checkAvailability(catalog, backends, api);
    if (this.#mirror.get("", name)?.uid !== api.uid || this.#closed) return;
    this.#learn(api, found);
    await this.#write(api, found);
    this.#schedule(name, found.status === "True" ? CHECK_EVERY_MS : RETRY_EVERY_MS);
  }

  #learn(api: RemoteApi, { resources }: Availability): void {
    const key = `${api.group}/${api.version}`;
    if (resources === undefined || JSON.stringify(resources) === JSON.stringify(this.#resources.get(key))) return;
    this.#resources.set(key, resources);
    this.#parts.onChange();
  }

  async #write(api: RemoteApi, { status, reason, message }: Availability): Promise<void> {
    const { catalog, deps, clock } = this.#parts;
    const resource = catalog.find(deps.names.group("apiregistration"), "v1", "apiservices")!;
    const write = { ...serverWrite(resource, api.name), subresource: "status", fieldManager: "kube-apiserver" };
    try {
      await updateObject(deps, write, {
        versionOptional: true,
        expected: { uid: api.uid },
        next: (current) => {
          const now = current as unknown as APIService;
          const conditions = now.status?.conditions ?? [];
          const old = conditions.find(({ type }) => type === "Available");
          if (old?.status === status && old.reason === reason && old.message === message) return current!;
          const lastTransitionTime =
            old !== undefined && old.status === status ? old.lastTransitionTime : timeOfMs(clock.nowMs());
          const others = conditions.filter(({ type }) => type !== "Available");
          const available = { type: "Available", status, lastTransitionTime, reason, message };
          return { ...current!, status: { conditions: [...others, available] } };
        },
      });
    } catch (error) {
      if (!isStatusError(error, "NotFound") && !isStatusError(error, "Conflict")) throw error;
    }
  }
}

const describe = ({ available: _, ...rest }: RemoteApi): string => JSON.stringify(rest);
