// Which servers of one store are alive: each renews a key that vanishes when it does not.
//
//   /registry/masterleases/10.0.0.5   {"metadata":{"name":"10.0.0.5",...}}   gone 15 s after the last renewal

import { type Catalog, KEY_ROOT } from "../../registry/catalog.ts";
import { PrivateRecords } from "../../registry/private-records.ts";

const PREFIX = `${KEY_ROOT}masterleases/`;
const TTL_SECONDS = 15;

export class ServerLeases {
  readonly #records: PrivateRecords;

  constructor(catalog: Catalog) {
    this.#records = new PrivateRecords(catalog, PREFIX, TTL_SECONDS);
  }

  renew(address: string): Promise<void> {
    return this.#records.put(address);
  }

  end(address: string): Promise<void> {
    return this.#records.remove(address);
  }

  /** The addresses of all servers that are alive. */
  addresses(): Promise<string[]> {
    return this.#records.names();
  }
}
