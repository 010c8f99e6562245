// Who has which cluster address, decided by the store: one IPAddress object per address, created only where none is.

import type { IPAddress } from "../../kinds/networking/ip-address.ts";
import { formatIp, type IpAddress, parseIp } from "../../meta/ip.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { AdmissionChain } from "../../registry/admission.ts";
import { removeStored } from "../../registry/private-records.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { createAsServer } from "../../registry/server-writes.ts";
import type { WriteDeps } from "../../registry/write.ts";
import type { Owner } from "./service-usage.ts";
import { isMeant, type WhichRecord } from "./which-record.ts";

export class AddressClaims {
  readonly #deps: WriteDeps;
  readonly #resource: ServedResource;

  constructor(deps: WriteDeps, resource: ServedResource) {
    // Allocation is part of a request that admission has judged already.
    this.#deps = { ...deps, admission: new AdmissionChain([]) };
    this.#resource = resource;
  }

  /** Records the owner of a free address, and who made the record where that has a name. Its uid; undefined when somebody has it. */
  async claim(ip: IpAddress, owner: Owner, maker: string | undefined): Promise<string | undefined> {
    const { names } = this.#deps;
    const annotations = maker === undefined ? {} : { annotations: { [names.ipAddressReservedByAnnotation]: maker } };
    const labels = {
      [names.ipAddressFamilyLabel]: ip.family === 4 ? "IPv4" : "IPv6",
      [names.ipAddressManagedByLabel]: names.ipAllocatorManager,
    };
    const parentRef = { resource: "services", namespace: owner.namespace, name: owner.name };
    const write = { resource: this.#resource, name: formatIp(ip) };
    const created = await createAsServer(this.#deps, write, {
      metadata: { labels, ...annotations },
      spec: { parentRef },
    });
    return created?.metadata.uid;
  }

  /** Removes that record, if it is of this owner. */
  async release(ip: IpAddress, owner: Pick<Owner, "namespace" | "name">, which: WhichRecord): Promise<void> {
    const store = this.#resource.store!;
    await removeStored(store, store.keyOf("", formatIp(ip)), (object) => {
      if (!isMeant(object, which)) return false;
      const parent = parentOf(object);
      return parent?.namespace === owner.namespace && parent.name === owner.name;
    });
  }
}

/** What is remembered of an IPAddress object. */
export interface AddressRecord {
  readonly ip: IpAddress;
  /** The service that has it; undefined when something else does. */
  readonly service: Pick<Owner, "namespace" | "name"> | undefined;
  /** Whether this server (or one like it) made the record. */
  readonly managed: boolean;
  readonly uid: string;
  /** Who reserved it; undefined where that has no name. */
  readonly maker: string | undefined;
}

export function addressRecord(object: ApiObject, names: Names): AddressRecord | undefined {
  const ip = parseIp(object.metadata.name ?? "");
  if (ip === undefined) return undefined;
  return {
    ip,
    service: parentOf(object),
    managed: object.metadata.labels?.[names.ipAddressManagedByLabel] === names.ipAllocatorManager,
    uid: object.metadata.uid ?? "",
    maker: object.metadata.annotations?.[names.ipAddressReservedByAnnotation],
  };
}

function parentOf(object: ApiObject): Pick<Owner, "namespace" | "name"> | undefined {
  const { parentRef } = (object as unknown as IPAddress).spec;
  if (parentRef?.resource !== "services" || (parentRef.group ?? "") !== "") return undefined;
  return { namespace: parentRef.namespace ?? "", name: parentRef.name ?? "" };
}
