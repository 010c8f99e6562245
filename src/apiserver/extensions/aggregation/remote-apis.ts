// What is registered: follows the APIServices, and knows which groups and versions other servers serve.

import type { APIService } from "../../../kinds/apiregistration/api-service.ts";
import type { Names } from "../../../meta/names.ts";
import type { Catalog } from "../../../registry/catalog.ts";
import { ObjectMirror } from "../../../registry/object-mirror.ts";
import { type RegisteredApi, type RemoteApi, readRegisteredApi } from "./remote-api.ts";

/** Hears of every change of a registration, also of its condition. */
type RegistrationListener = (now: RegisteredApi | undefined, before: RegisteredApi | undefined) => void;

export class RemoteApis {
  readonly #mirror: ObjectMirror<RegisteredApi>;
  readonly #byVersion = new Map<string, RemoteApi>();
  readonly #listeners: RegistrationListener[] = [];

  constructor(catalog: Catalog, names: Names) {
    this.#mirror = new ObjectMirror(catalog.own(names.group("apiregistration"), "v1", "apiservices")!.store!, {
      project: (object) => readRegisteredApi(object as unknown as APIService, names.automanagedLabel),
      onChange: (_key, now, before) => this.#changed(now, before),
    });
  }

  start(): Promise<void> {
    return this.#mirror.ready();
  }

  close(): void {
    this.#listeners.length = 0;
    this.#mirror.close();
  }

  onChange(listener: RegistrationListener): void {
    this.#listeners.push(listener);
  }

  /** By the name of the APIService. */
  get(name: string): RegisteredApi | undefined {
    return this.#mirror.get("", name);
  }

  registered(): IterableIterator<RegisteredApi> {
    return this.#mirror.values();
  }

  find(group: string, version: string): RemoteApi | undefined {
    // Most servers have none, and are asked with every request.
    return this.#byVersion.size === 0 ? undefined : this.#byVersion.get(`${group}/${version}`);
  }

  all(): IterableIterator<RemoteApi> {
    return this.#byVersion.values();
  }

  #changed(now: RegisteredApi | undefined, before: RegisteredApi | undefined): void {
    if (before?.remote !== undefined) this.#byVersion.delete(`${before.group}/${before.version}`);
    if (now?.remote !== undefined) this.#byVersion.set(`${now.group}/${now.version}`, now.remote);
    for (const listener of this.#listeners) listener(now, before);
  }
}
