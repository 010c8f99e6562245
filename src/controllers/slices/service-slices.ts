// The slices of Services that one controller manages: found by the name of the Service, and a reason to look at it again
// when somebody else changes them.

import { kinds } from "../../client/built-in-kinds.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { EndpointSlice } from "../../kinds/discovery/endpoint-slice.ts";
import type { Names } from "../../meta/names.ts";
import type { KeyQueue } from "../framework/controller.ts";
import type { OwnWrites } from "../framework/own-writes.ts";

const BY_SERVICE = "service";

export class ServiceSlices {
  readonly informer: Informer<EndpointSlice>;
  readonly #names: Names;
  readonly #manager: string;

  /** `manager`: the value of the managed-by label of those that count. */
  constructor(informers: SharedInformers, names: Names, manager: string) {
    this.#names = names;
    this.#manager = manager;
    this.informer = informers.of(kinds.discovery.v1.endpointSlices, {
      indexes: { [BY_SERVICE]: (slice) => this.#keysOf(slice) },
    });
  }

  /** The slices of a Service, by its key; not those that end. */
  of(key: string): Stored<EndpointSlice>[] {
    return this.informer.cache
      .byIndex(BY_SERVICE, key)
      .filter((slice) => this.#isOurs(slice) && slice.metadata.deletionTimestamp === undefined);
  }

  watch(queue: KeyQueue, writes: OwnWrites<EndpointSlice>): void {
    const look = (slice: Stored<EndpointSlice>, deleted: boolean): void => {
      // At the start every Service is looked at anyway.
      if (!this.informer.synced || !this.#isOurs(slice)) return;
      for (const key of this.#keysOf(slice)) if (writes.isNews(key, slice, deleted)) queue.add(key);
    };
    this.informer.addHandlers({
      added: (slice) => look(slice, false),
      deleted: (slice) => look(slice, true),
      updated: (now, before) => {
        const moved = this.#isOurs(now) !== this.#isOurs(before) || this.#keysOf(now)[0] !== this.#keysOf(before)[0];
        if (moved) look(before, true);
        look(now, false);
      },
    });
  }

  #keysOf({ metadata: { namespace = "", labels } }: Stored<EndpointSlice>): readonly string[] {
    const name = labels?.[this.#names.serviceNameLabel];
    return name === undefined || name === "" ? [] : [`${namespace}/${name}`];
  }

  #isOurs({ metadata }: Stored<EndpointSlice>): boolean {
    return metadata.labels?.[this.#names.managedByLabel] === this.#manager;
  }
}
