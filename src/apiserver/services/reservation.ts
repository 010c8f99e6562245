// What one write of a Service reserves and gives up. Claims are made in the store before the write and taken back when
// it fails; what the old object no longer needs is released after it.

import type { IpAddress } from "../../meta/ip.ts";
import { internalError } from "../../meta/status-error.ts";
import type { AddressClaims } from "./address-claims.ts";
import type { PortClaims } from "./port-claims.ts";
import type { ServicePools } from "./service-pools.ts";
import { addressKey, type NodePort, type Owner, portKey, type ServiceUsage } from "./service-usage.ts";

/** Why an address or a port cannot be had, in upstream's words. */
export type Refusal = string;

export const FULL: Refusal = "range is full";
const ADDRESS_OUTSIDE: Refusal = "the provided network does not match the current range";
const ADDRESS_TAKEN: Refusal = "provided IP is already allocated";
const PORT_TAKEN: Refusal = "provided port is already allocated";

/** Other servers can be faster so often before the client is told to try again. */
const MAX_LOST_RACES = 256;

/** Nothing is free; requests under way may give something back, when they fail. */
export class RangeFull extends Error {
  /** Whether it is worth to look again in a moment. */
  readonly contended: boolean;

  constructor(contended: boolean) {
    super(FULL);
    this.contended = contended;
  }
}

/** How many reservations of this server hold something at the moment. */
export interface Holders {
  count: number;
}

export interface ReservationDeps {
  readonly pools: ServicePools;
  readonly holders: Holders;
  readonly addressClaims: AddressClaims;
  readonly portClaims: PortClaims;
}

export class Reservation {
  readonly #deps: ReservationDeps;
  readonly #owner: Owner;
  readonly #dryRun: boolean;
  readonly #addresses = new Map<string, IpAddress>();
  readonly #ports = new Map<string, NodePort>();
  /** Local holds, so that concurrent requests of this server do not pick the same. */
  readonly #holds: (() => void)[] = [];

  /** A dry run finds out what it would get, and reserves nothing. */
  constructor(deps: ReservationDeps, owner: Owner, dryRun: boolean) {
    this.#deps = deps;
    this.#owner = owner;
    this.#dryRun = dryRun;
  }

  /** Fails with RangeFull when no port is free; spares the store claims that would be taken back at once. */
  async requirePort(protocol: string): Promise<void> {
    const { pools, holders } = this.#deps;
    if (pools.ports.pick([protocol]) !== undefined) return;
    await pools.sync();
    if (pools.ports.pick([protocol]) === undefined) throw new RangeFull(holders.count > 0);
  }

  async takeAddress(ip: IpAddress): Promise<Refusal | undefined> {
    const pool = this.#deps.pools.addresses(ip);
    if (!pool.contains(ip)) return ADDRESS_OUTSIDE;
    if (pool.isTaken(ip)) {
      // It may have been released on another server a moment ago.
      await this.#deps.pools.sync();
      if (pool.isTaken(ip)) return ADDRESS_TAKEN;
    }
    this.#holdAddress(ip);
    return (await this.#claimAddress(ip)) ? undefined : ADDRESS_TAKEN;
  }

  /** Fails with RangeFull. */
  async takeAnyAddress(family: 4 | 6): Promise<IpAddress> {
    const pool = this.#deps.pools.addresses({ family });
    return this.#claimAny(
      () => pool.pick(),
      (ip) => this.#holdAddress(ip),
      (ip) => this.#claimAddress(ip),
    );
  }

  async takePort(wanted: NodePort): Promise<Refusal | undefined> {
    const { pools } = this.#deps;
    const { first, last } = pools.ports.range;
    if (!pools.ports.contains(wanted.port)) {
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    if (pools.ports.isTaken(wanted.protocol, wanted.port)) {
      await pools.sync();
      if (pools.ports.isTaken(wanted.protocol, wanted.port)) return PORT_TAKEN;
    }
    this.#holdPort(wanted);
    return (await this.#claimPort(wanted)) ? undefined : PORT_TAKEN;
  }

  /** A number that is free for all these protocols, taken for the first of them. Fails with RangeFull. */
  async takeAnyPort(protocols: readonly string[]): Promise<number> {
    const protocol = protocols[0]!;
    return this.#claimAny(
      () => this.#deps.pools.ports.pick(protocols),
      (port) => this.#holdPort({ protocol, port }),
      (port) => this.#claimPort({ protocol, port }),
    );
  }

  /**
   * One port for each of the protocols, all or none. They are held together before the first is claimed: requests that
   * take the last ports one by one would all fail. Fails with RangeFull.
   */
  async takeAnyPorts(protocols: readonly string[]): Promise<number[]> {
    const { ports } = this.#deps.pools;
    const picked = protocols.map((protocol) => {
      const port = ports.pick([protocol]);
      if (port !== undefined) this.#holdPort({ protocol, port });
      return port;
    });
    const taken: number[] = [];
    for (const [index, protocol] of protocols.entries()) {
      const port = picked[index];
      const won = port !== undefined && (await this.#claimPort({ protocol, port }));
      taken.push(won ? port : await this.takeAnyPort([protocol]));
    }
    return taken;
  }

  /** Ends the local holds, without waiting: a dry run has seen all it needs. */
  letGo(): void {
    if (this.#holds.length > 0) this.#deps.holders.count -= 1;
    for (const release of this.#holds.splice(0)) release();
  }

  /** The write has been committed: what only the old object used is free again. */
  async commit(old: ServiceUsage | undefined, now: ServiceUsage): Promise<void> {
    this.letGo();
    if (this.#dryRun || old === undefined) return;
    const { addressClaims, portClaims } = this.#deps;
    const addresses = new Set(now.addresses.map(addressKey));
    const ports = new Set(now.ports.map(portKey));
    for (const ip of old.addresses) if (!addresses.has(addressKey(ip))) await addressClaims.release(ip, old.owner);
    for (const port of old.ports) if (!ports.has(portKey(port))) await portClaims.release(port, old.owner);
  }

  /** The write has failed: takes back every claim but those that the stored object uses after all. */
  async abort(stored: () => Promise<ServiceUsage | undefined>): Promise<void> {
    try {
      if (this.#addresses.size === 0 && this.#ports.size === 0) return;
      // The answer of the store may have been lost on the way, not the write.
      const usage = await stored();
      const landed = usage !== undefined && usage.owner.uid === this.#owner.uid;
      for (const ip of landed ? usage.addresses : []) this.#addresses.delete(addressKey(ip));
      for (const port of landed ? usage.ports : []) this.#ports.delete(portKey(port));
      for (const ip of this.#addresses.values()) await this.#deps.addressClaims.release(ip, this.#owner);
      for (const port of this.#ports.values()) await this.#deps.portClaims.release(port, this.#owner);
    } finally {
      this.letGo();
    }
  }

  #holdAddress(ip: IpAddress): void {
    const pool = this.#deps.pools.addresses(ip);
    this.#hold(
      () => pool.take(ip),
      () => pool.release(ip),
    );
  }

  #holdPort({ protocol, port }: NodePort): void {
    const { ports } = this.#deps.pools;
    this.#hold(
      () => ports.take(protocol, port),
      () => ports.release(protocol, port),
    );
  }

  async #claimAddress(ip: IpAddress): Promise<boolean> {
    if (this.#dryRun) return true;
    if (!(await this.#deps.addressClaims.claim(ip, this.#owner))) return false;
    this.#addresses.set(addressKey(ip), ip);
    return true;
  }

  async #claimPort(wanted: NodePort): Promise<boolean> {
    if (this.#dryRun) return true;
    if (!(await this.#deps.portClaims.claim(wanted, this.#owner))) return false;
    this.#ports.set(portKey(wanted), wanted);
    return true;
  }

  /** Picks until the store agrees. */
  async #claimAny<T>(
    pick: () => T | undefined,
    hold: (value: T) => void,
    claim: (value: T) => Promise<boolean>,
  ): Promise<T> {
    let fresh = false;
    for (let lost = 0; lost < MAX_LOST_RACES; ) {
      const value = pick();
      if (value === undefined) {
        const others = this.#deps.holders.count - (this.#holds.length > 0 ? 1 : 0);
        if (fresh) throw new RangeFull(lost > 0 || others > 0);
        // What other servers have released may not have arrived yet.
        await this.#deps.pools.sync();
        fresh = true;
        continue;
      }
      // A lost race keeps its hold until the end, so that the next pick is another.
      hold(value);
      if (await claim(value)) return value;
      lost += 1;
      fresh = false;
    }
    throw internalError("too many requests want the last free addresses or ports, please try again");
  }

  #hold(take: () => void, release: () => void): void {
    if (this.#holds.length === 0) this.#deps.holders.count += 1;
    take();
    this.#holds.push(release);
  }
}
