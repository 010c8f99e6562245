// The live picture of what is taken: follows ServiceCIDR, IPAddress and Service objects and the records of node ports.
// Picks come from it in microseconds; whether a pick is really free is for the store to say.

import type { Service } from "../../kinds/core/service/schema.ts";
import type { IpFamily } from "../../kinds/networking/ip-fields.ts";
import type { ServiceCIDR } from "../../kinds/networking/service-cidr.ts";
import { type Cidr, type IpAddress, parseCidr } from "../../meta/ip.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject } from "../../meta/object.ts";
import { ObjectMirror } from "../../registry/object-mirror.ts";
import type { ObjectStore } from "../../registry/object-store.ts";
import { type AddressRecord, addressRecord } from "./address-claims.ts";
import { AddressPool } from "./address-pool.ts";
import { type PortRecord, portRecord } from "./port-claims.ts";
import { PortPool, type PortRange } from "./port-pool.ts";
import { type ServiceUsage, usageOf } from "./service-usage.ts";
import type { Random } from "./slot-set.ts";

interface PoolStores {
  readonly services: ObjectStore;
  readonly addresses: ObjectStore;
  readonly cidrs: ObjectStore;
  readonly ports: ObjectStore;
}

interface PoolOptions {
  readonly names: Names;
  readonly nodePorts: PortRange;
  readonly random: Random;
  /** Called after a range of addresses has changed or gone. */
  readonly onRange?: () => void;
  /** Called after a service has changed or gone. */
  readonly onService?: (usage: ServiceUsage | undefined, before: ServiceUsage | undefined) => void;
}

export class ServicePools {
  readonly ports: PortPool;
  readonly services: ObjectMirror<ServiceUsage>;
  readonly addressRecords: ObjectMirror<AddressRecord>;
  readonly portRecords: ObjectMirror<PortRecord>;
  readonly #cidrs: ObjectMirror<readonly Cidr[]>;
  readonly #pools: Readonly<Record<IpFamily, AddressPool>>;

  constructor(stores: PoolStores, { names, nodePorts, random, onRange, onService }: PoolOptions) {
    this.ports = new PortPool(nodePorts, random);
    this.#pools = { IPv4: new AddressPool(4, random), IPv6: new AddressPool(6, random) };
    this.#cidrs = new ObjectMirror(stores.cidrs, {
      project: usableCidrs,
      onChange: (_key, now, before) => {
        for (const cidr of now ?? []) this.addresses(cidr.ip).addRange(cidr);
        for (const cidr of before ?? []) this.addresses(cidr.ip).removeRange(cidr);
        onRange?.();
      },
    });
    this.addressRecords = new ObjectMirror(stores.addresses, {
      project: (object) => addressRecord(object, names),
      onChange: (_key, now, before) => {
        if (now !== undefined) this.addresses(now.ip).take(now.ip);
        if (before !== undefined) this.addresses(before.ip).release(before.ip);
      },
    });
    this.portRecords = new ObjectMirror(stores.ports, {
      project: portRecord,
      onChange: (_key, now, before) => {
        if (now !== undefined) this.ports.take(now.port);
        if (before !== undefined) this.ports.release(before.port);
      },
    });
    this.services = new ObjectMirror(stores.services, {
      project: (object) => usageOf(object as unknown as Service),
      onChange: (_key, now, before) => {
        this.#use(now, true);
        this.#use(before, false);
        onService?.(now, before);
      },
    });
  }

  /** The addresses of the family of `ip`. */
  addresses(ip: Pick<IpAddress, "family">): AddressPool {
    return ip.family === 4 ? this.#pools.IPv4 : this.#pools.IPv6;
  }

  async ready(): Promise<void> {
    await Promise.all(this.#mirrors().map((mirror) => mirror.ready()));
  }

  /** Resolves when everything that was committed before this call is in the picture. */
  async sync(): Promise<void> {
    await Promise.all(this.#mirrors().map((mirror) => mirror.sync()));
  }

  close(): void {
    for (const mirror of this.#mirrors()) mirror.close();
  }

  #mirrors(): { ready(): Promise<void>; sync(): Promise<void>; close(): void }[] {
    return [this.#cidrs, this.addressRecords, this.portRecords, this.services];
  }

  #use(usage: ServiceUsage | undefined, taken: boolean): void {
    for (const ip of usage?.addresses ?? []) taken ? this.addresses(ip).take(ip) : this.addresses(ip).release(ip);
    for (const port of usage?.ports ?? []) taken ? this.ports.take(port) : this.ports.release(port);
  }
}

/** The networks of a ServiceCIDR that gives addresses: one that ends or is not ready gives none. */
function usableCidrs(object: ApiObject): readonly Cidr[] {
  const { metadata, spec, status } = object as unknown as ServiceCIDR;
  if (metadata.deletionTimestamp !== undefined) return [];
  const ready = (status?.conditions ?? []).find(({ type }) => type === "Ready");
  // Where no controller judges it, it counts as ready.
  if (ready !== undefined && ready.status !== "True") return [];
  return (spec.cidrs ?? []).flatMap((text) => parseCidr(text) ?? []);
}
