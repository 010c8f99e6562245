// Who has which node port, decided by the store: one key per port, created only where none is.
//
//   /registry/ranges/servicenodeports/30080   {"metadata":{"name":"30080",...},"owner":{"namespace":"a","name":"web",...},"maker":"3f1c..."}

import type { ApiObject } from "../../meta/object.ts";
import { type Catalog, KEY_ROOT } from "../../registry/catalog.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import { PrivateRecords } from "../../registry/private-records.ts";
import type { Owner } from "./service-usage.ts";
import { isMeant, type WhichRecord } from "./which-record.ts";

const PREFIX = `${KEY_ROOT}ranges/servicenodeports/`;

export interface PortRecord {
  readonly port: number;
  readonly owner: Owner;
  readonly uid: string;
  /** Who reserved it; undefined where that has no name. */
  readonly maker: string | undefined;
}

export class PortClaims {
  readonly #records: PrivateRecords;

  constructor(catalog: Catalog) {
    this.#records = new PrivateRecords(catalog, PREFIX);
  }

  get store(): ObjectStore {
    return this.#records.store;
  }

  /** Records the owner of a free port, and who made the record where that has a name. Its uid; undefined when somebody has it. */
  claim(port: number, owner: Owner, maker: string | undefined): Promise<string | undefined> {
    return this.#records.create(String(port), { owner: { ...owner }, ...(maker === undefined ? {} : { maker }) });
  }

  /** Removes that record, if it is of this owner. */
  release(port: number, owner: Owner, which: WhichRecord): Promise<void> {
    const isIts = (object: ApiObject) => isMeant(object, which) && portRecord(object)?.owner.uid === owner.uid;
    return this.#records.remove(String(port), isIts);
  }
}

export function portRecord(object: ApiObject): PortRecord | undefined {
  const { name, namespace } = object.metadata;
  const owner = object["owner"] as Partial<Owner> | undefined;
  const port = Number(name);
  // Records below a protocol are of an older form: Services without a record of today's get one.
  if (!Number.isInteger(port) || namespace !== undefined || owner === undefined) return undefined;
  return {
    port,
    owner: { namespace: owner.namespace ?? "", name: owner.name ?? "", uid: owner.uid ?? "" },
    uid: object.metadata.uid ?? "",
    maker: object["maker"] as string | undefined,
  };
}
