// What one write of a Service reserves and gives up. Claims are made in the store before the write and taken back when
// it fails; what the old object no longer needs is released after it.

import type { Clock } from "../../base/clock.ts";
import type { IpAddress } from "../../meta/ip.ts";
import { internalError, lateRequest } from "../../meta/status-error.ts";
import type { Revision } from "../../registry/items.ts";
import type { WriteEnd } from "../../registry/served-resource.ts";
import type { AddressClaims } from "./address-claims.ts";
import { type AllocationObserver, rangeOf } from "./allocator-metrics.ts";
import type { PortClaims } from "./port-claims.ts";
import type { Maker } from "./reservation-makers.ts";
import type { ServicePools } from "./service-pools.ts";
import { addressKey, type Owner, type ServiceUsage } from "./service-usage.ts";

/** Why an address or a port cannot be had, in upstream's words. */
type AllocationProblem = string;

const FULL: AllocationProblem = "range is full";
const ADDRESS_OUTSIDE: AllocationProblem = "the provided network does not match the current range";
const ADDRESS_TAKEN: AllocationProblem = "provided IP is already allocated";
const PORT_TAKEN: AllocationProblem = "provided port is already allocated";

/** Other servers can be faster so often before the client is told to try again. */
const MAX_LOST_RACES = 256;

/** Others free what has been held for longer without a Service (repair.ts): so nothing is written with it any more. */
const MAX_HELD_MS = 4 * 60_000;

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
interface Holders {
  count: number;
}

export interface ReservationDeps {
  readonly pools: ServicePools;
  readonly holders: Holders;
  readonly addressClaims: AddressClaims;
  readonly portClaims: PortClaims;
  readonly observer: AllocationObserver;
  readonly clock: Clock;
}

export class Reservation {
  readonly #deps: ReservationDeps;
  readonly #owner: Owner;
  readonly #dryRun: boolean;
  readonly #maker: Maker | undefined;
  readonly #beganMs: number;
  readonly #addresses = new Map<string, { readonly ip: IpAddress; readonly uid: string }>();
  /** With the uids of their records. */
  readonly #ports = new Map<number, string>();
  /** What a dry run was given of ports that are none of the range. */
  readonly #outside = new Set<number>();
  /** Local holds, so that concurrent requests of this server do not pick the same. */
  readonly #holds: (() => void)[] = [];

  /** A dry run finds out what it would get, and reserves nothing. `maker`: absent where no other server or process shares the store. */
  constructor(deps: ReservationDeps, owner: Owner, dryRun: boolean, maker?: Maker) {
    this.#deps = deps;
    this.#owner = owner;
    this.#dryRun = dryRun;
    this.#maker = maker;
    this.#beganMs = deps.clock.monotonicMs();
  }

  /** Fails with RangeFull when no port is free; spares the store claims that would be taken back at once. */
  async requirePort(): Promise<void> {
    const { pools, holders } = this.#deps;
    if (pools.ports.pick() !== undefined) return;
    await pools.sync();
    if (pools.ports.pick() === undefined) throw new RangeFull(holders.count > 0);
  }

  async takeAddress(ip: IpAddress): Promise<AllocationProblem | undefined> {
    const problem = await this.#takeAddress(ip);
    if (!this.#dryRun && problem !== ADDRESS_OUTSIDE)
      this.#deps.observer.address(rangeOf(this.#deps.pools, ip), "static", problem === undefined);
    return problem;
  }

  async #takeAddress(ip: IpAddress): Promise<AllocationProblem | undefined> {
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
    const { pools, observer } = this.#deps;
    const pool = pools.addresses({ family });
    try {
      const ip = await this.#claimAny(
        () => pool.pick(),
        (ip) => this.#holdAddress(ip),
        (ip) => this.#claimAddress(ip),
      );
      if (!this.#dryRun) observer.address(rangeOf(pools, ip), "dynamic", true);
      return ip;
    } catch (error) {
      if (!this.#dryRun) observer.address(pool.text, "dynamic", false);
      throw error;
    }
  }

  async takePort(port: number): Promise<AllocationProblem | undefined> {
    const problem = await this.#takePort(port);
    if (!this.#dryRun) this.#deps.observer.port("static", problem === undefined);
    return problem;
  }

  async #takePort(port: number): Promise<AllocationProblem | undefined> {
    const { pools } = this.#deps;
    const { first, last } = pools.ports.range;
    if (!pools.ports.contains(port)) {
      // A dry run is told what is taken, not what the range is: as upstream does.
      if (this.#dryRun) return this.#outside.has(port) ? PORT_TAKEN : void this.#outside.add(port);
      return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    }
    if (pools.ports.isTaken(port)) {
      await pools.sync();
      if (pools.ports.isTaken(port)) return PORT_TAKEN;
    }
    this.#holdPort(port);
    return (await this.#claimPort(port)) ? undefined : PORT_TAKEN;
  }

  /** Fails with RangeFull. */
  async takeAnyPort(): Promise<number> {
    try {
      const port = await this.#claimAny(
        () => this.#deps.pools.ports.pick(),
        (port) => this.#holdPort(port),
        (port) => this.#claimPort(port),
      );
      this.#givenPort(true);
      return port;
    } catch (error) {
      this.#givenPort(false);
      throw error;
    }
  }

  #givenPort(given: boolean): void {
    if (!this.#dryRun) this.#deps.observer.port("dynamic", given);
  }

  /**
   * So many ports, all or none. They are held together before the first is claimed: requests that take the last ports
   * one by one would all fail, and claims of a few thousand would be made to be taken back. Fails with RangeFull.
   */
  async takeAnyPorts(count: number): Promise<number[]> {
    const { pools } = this.#deps;
    const picked = this.#pickPorts(count);
    if (picked.length < count) {
      // What other servers have released may not have arrived yet.
      await pools.sync();
      for (const port of this.#pickPorts(count - picked.length)) picked.push(port);
    }
    if (picked.length < count) {
      this.#givenPort(false);
      throw new RangeFull(this.#othersHold());
    }
    const taken: number[] = [];
    for (const port of picked) {
      const won = await this.#claimPort(port);
      if (won) this.#givenPort(true);
      taken.push(won ? port : await this.takeAnyPort());
    }
    return taken;
  }

  /** As many free ones, or all. */
  #pickPorts(count: number): number[] {
    const { ports } = this.#deps.pools;
    const picked: number[] = [];
    while (picked.length < count) {
      const port = ports.pick();
      if (port === undefined) break;
      this.#holdPort(port);
      picked.push(port);
    }
    return picked;
  }

  /** Whether other requests of this server may give something back. */
  #othersHold(): boolean {
    return this.#deps.holders.count > (this.#holds.length > 0 ? 1 : 0);
  }

  /** Ends the local holds, without waiting: a dry run has seen all it needs. */
  releaseHolds(): void {
    if (this.#holds.length > 0) this.#deps.holders.count -= 1;
    for (const release of this.#holds.splice(0)) release();
  }

  /** What the write depends on; undefined where nothing was claimed for it. Fails when the claims are too old. */
  guard(): string | undefined {
    if (this.#addresses.size === 0 && this.#ports.size === 0) return undefined;
    if (this.#deps.clock.monotonicMs() - this.#beganMs > MAX_HELD_MS) throw lateRequest();
    return this.#maker?.guard;
  }

  /** The write has been committed, at this revision: what only the old object used is free again. */
  async commit(old: ServiceUsage | undefined, now: ServiceUsage, at: Revision): Promise<void> {
    this.releaseHolds();
    if (this.#dryRun || old === undefined) return;
    const { addressClaims, portClaims } = this.#deps;
    const addresses = new Set(now.addresses.map(addressKey));
    const ports = new Set(now.ports);
    // What the Service has reserved anew since is another write's.
    const which = { before: at };
    for (const ip of old.addresses)
      if (!addresses.has(addressKey(ip))) await addressClaims.release(ip, old.owner, which);
    for (const port of old.ports) if (!ports.has(port)) await portClaims.release(port, old.owner, which);
  }

  /** The write has failed: takes back every claim but those that the stored object uses after all. */
  async abort(stored: () => Promise<ServiceUsage | undefined>, how: Exclude<WriteEnd, Revision>): Promise<void> {
    try {
      // The object may still come to be stored: the repair finds out later.
      if (how === "undecided" || (this.#addresses.size === 0 && this.#ports.size === 0)) return;
      // The answer of the store may have been lost on the way, not the write.
      const usage = await stored();
      const landed = usage !== undefined && usage.owner.uid === this.#owner.uid;
      for (const ip of landed ? usage.addresses : []) this.#addresses.delete(addressKey(ip));
      for (const port of landed ? usage.ports : []) this.#ports.delete(port);
      const { addressClaims, portClaims } = this.#deps;
      for (const { ip, uid } of this.#addresses.values()) await addressClaims.release(ip, this.#owner, { uid });
      for (const [port, uid] of this.#ports) await portClaims.release(port, this.#owner, { uid });
    } finally {
      this.releaseHolds();
    }
  }

  #holdAddress(ip: IpAddress): void {
    const pool = this.#deps.pools.addresses(ip);
    this.#hold(
      () => pool.take(ip),
      () => pool.release(ip),
    );
  }

  #holdPort(port: number): void {
    const { ports } = this.#deps.pools;
    this.#hold(
      () => ports.take(port),
      () => ports.release(port),
    );
  }

  async #claimAddress(ip: IpAddress): Promise<boolean> {
    if (this.#dryRun) return true;
    const uid = await this.#deps.addressClaims.claim(ip, this.#owner, this.#maker?.name);
    if (uid === undefined) return false;
    this.#addresses.set(addressKey(ip), { ip, uid });
    return true;
  }

  async #claimPort(port: number): Promise<boolean> {
    if (this.#dryRun) return true;
    const uid = await this.#deps.portClaims.claim(port, this.#owner, this.#maker?.name);
    if (uid === undefined) return false;
    this.#ports.set(port, uid);
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
        if (fresh) throw new RangeFull(lost > 0 || this.#othersHold());
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
