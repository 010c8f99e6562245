// Finds devices on a node for all claims of a pod, or for none: tries one device after the other for one request after the
// other, and goes back where that leads nowhere. The first way through is taken. Pure.

import { toleratesDeviceTaint } from "../../kinds/resource/device-taints.ts";
import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";
import type { CapacityAmounts } from "../state/capacity-amounts.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import type { NodeInfo } from "../state/node-info.ts";
import { allocationOf, type Taken } from "./allocation-result.ts";
import { AttributeConstraint } from "./attribute-constraints.ts";
import { amountsTaken } from "./capacity-policy.ts";
import { type Pool, type PooledDevice, poolsOn } from "./pools.ts";
import { claimName, MAX_RESULTS, type Way, waysOf } from "./requests.ts";
import { SharedCapacity } from "./shared-capacity.ts";
import { SharedCounters } from "./shared-counters.ts";

export type AllocationOutcome =
  /** In the order of the claims. */
  | { readonly type: "found"; readonly allocations: readonly AllocationResult[] }
  | { readonly type: "none" }
  /** There may be a way, but looking for it took too long. */
  | { readonly type: "gave up" };

/** How many devices may still be looked at. Claims of users can be so that there are more ways than anyone can try. */
export interface Patience {
  steps: number;
}

/** Throws when a claim, a class or a pool is wrong in itself. */
export function allocate(
  claims: readonly DeviceClaim[],
  node: NodeInfo,
  lookup: DeviceLookup,
  patience: Patience,
): AllocationOutcome {
  const pools = poolsOn(node, lookup);
  const search = new Search(claims, pools, lookup, patience);
  if (search.run())
    return {
      type: "found",
      allocations: claims.map((claim, at) => allocationOf(claim, search.taken[at]!, node.name, lookup)),
    };
  return patience.steps < 0 ? { type: "gave up" } : { type: "none" };
}

interface ClaimSearch {
  readonly claim: DeviceClaim;
  readonly requests: readonly (readonly Way[])[];
  readonly constraints: readonly AttributeConstraint[];
}

class Search {
  readonly #claims: readonly ClaimSearch[];
  readonly #devices: readonly PooledDevice[];
  readonly #broken: Pool | undefined;
  readonly #lookup: DeviceLookup;
  readonly #patience: Patience;
  /** By device: the claims that take it now. */
  readonly #takers = new Map<string, Set<ClaimSearch>>();
  readonly #counters: SharedCounters;
  readonly #capacity: SharedCapacity;
  /** Whether any device can be had by several. */
  readonly #hasShareable: boolean;
  /** What was taken for each claim. */
  readonly taken: readonly Taken[][];

  constructor(claims: readonly DeviceClaim[], pools: readonly Pool[], lookup: DeviceLookup, patience: Patience) {
    this.#claims = claims.map((claim) => ({
      claim,
      requests: waysOf({ claim, pools, lookup }),
      constraints: constraintsOf(claim, lookup),
    }));
    this.#devices = slowLast(pools.filter(({ problem }) => problem === undefined).flatMap(({ devices }) => devices));
    this.#broken = pools.find(({ problem }) => problem !== undefined);
    this.#lookup = lookup;
    this.#counters = new SharedCounters(({ key }) => lookup.isTaken(key) || lookup.sharesOf(key) !== undefined);
    this.#capacity = new SharedCapacity((key) => lookup.sharesOf(key));
    this.#hasShareable =
      lookup.gates.DRAConsumableCapacity && this.#devices.some(({ device }) => device.allowMultipleAllocations);
    this.#patience = patience;
    this.taken = claims.map(() => []);
  }

  run(): boolean {
    return this.#request(0, 0);
  }

  /** Meets this request and all after it. */
  #request(claimAt: number, requestAt: number): boolean {
    const claim = this.#claims[claimAt];
    if (claim === undefined) return true;
    const ways = claim.requests[requestAt];
    if (ways === undefined) return this.#request(claimAt + 1, 0);
    const next = (): boolean => this.#request(claimAt, requestAt + 1);
    const taken = this.taken[claimAt]!;
    return ways.some((way) => {
      // Nothing is all of what fits.
      if (way.all?.length === 0 || taken.length + way.count > MAX_RESULTS) return false;
      const devices = way.all ?? this.#devices;
      return this.#fill({ claim, taken, way, devices, next }, 0, way.count);
    });
  }

  /** Takes so many more of the devices, from a place on: in which order does not matter. */
  #fill(filling: Filling, from: number, missing: number): boolean {
    if (missing === 0) return filling.next();
    const { devices, way } = filling;
    const isAny = way.all === undefined;
    // Where none can be had twice, as many have to follow as are missing.
    const last = isAny ? devices.length - (this.#hasShareable ? 1 : missing) : from;
    for (let at = from; at <= last; at += 1) {
      this.#patience.steps -= 1;
      if (this.#patience.steps < 0) return false;
      const device = devices[at]!;
      if (!this.#take(filling, device)) continue;
      const next = isAny && this.#isShareable(device, way) ? at : at + 1;
      if (this.#fill(filling, next, missing - 1)) return true;
      this.#giveBack(filling);
    }
    if (isAny && this.#broken !== undefined)
      throw new Error(`pool ${this.#broken.name} is invalid: ${this.#broken.problem}`);
    return false;
  }

  #take({ claim, taken, way }: Filling, device: PooledDevice): boolean {
    const isShareable = this.#isShareable(device, way);
    if (!this.#isFree(device, way, claim)) return false;
    if (way.all === undefined && !way.fits(device)) return false;
    if (!this.#isTolerated(device, way)) return false;
    const amounts = isShareable || way.capacity !== undefined ? amountsTaken(device.device, way.capacity) : NO_AMOUNTS;
    if (amounts === undefined) return false;
    const share = isShareable ? amounts : undefined;
    if (!this.#draw(device, share)) return false;
    const refusing = claim.constraints.findIndex((constraint) => !constraint.add(device, way));
    if (refusing >= 0) {
      this.#drawBack(device, share);
      for (const constraint of claim.constraints.slice(0, refusing)) constraint.remove(way);
      if (way.all === undefined) return false;
      const which = `claim ${claimName(claim.claim)}, request ${way.name}`;
      throw new Error(`${which}: cannot add device ${device.key} because a claim constraint would not be satisfied`);
    }
    if (!isShareable) this.#takers.set(device.key, (this.#takers.get(device.key) ?? new Set()).add(claim));
    taken.push({ device, way, share });
    return true;
  }

  /** What was taken last. */
  #giveBack({ claim, taken, way }: Filling): void {
    const { device, share } = taken.pop()!;
    for (const constraint of claim.constraints) constraint.remove(way);
    this.#drawBack(device, share);
    if (share === undefined) this.#takers.get(device.key)?.delete(claim);
  }

  /** From capacity and counters: of these, only the first share of a device takes. */
  #draw(device: PooledDevice, share: CapacityAmounts | undefined): boolean {
    const isFirst = share === undefined || !this.#capacity.isShared(device);
    if (isFirst && !this.#counters.take(device)) return false;
    if (share === undefined || this.#capacity.take(device, share)) return true;
    if (isFirst) this.#counters.giveBack(device);
    return false;
  }

  #drawBack(device: PooledDevice, share: CapacityAmounts | undefined): void {
    if (share !== undefined) this.#capacity.giveBack(device, share);
    if (share === undefined || !this.#capacity.isShared(device)) this.#counters.giveBack(device);
  }

  #isFree(device: PooledDevice, way: Way, claim: ClaimSearch): boolean {
    const takers = this.#takers.get(device.key);
    if (way.isAdmin) return takers?.has(claim) !== true;
    if ((takers?.size ?? 0) > 0 || this.#lookup.isTaken(device.key)) return false;
    return this.#isShareable(device, way) || !this.#capacity.isShared(device);
  }

  #isShareable({ device }: PooledDevice, way: Way): boolean {
    return this.#hasShareable && device.allowMultipleAllocations === true && !way.isAdmin;
  }

  #isTolerated({ device, slice }: PooledDevice, { tolerations }: Way): boolean {
    return this.#lookup
      .taintsOf(device, slice)
      .every((taint) => tolerations.some((toleration) => toleratesDeviceTaint(toleration, taint)));
  }
}

interface Filling {
  readonly claim: ClaimSearch;
  readonly taken: Taken[];
  readonly way: Way;
  readonly devices: readonly PooledDevice[];
  readonly next: () => boolean;
}

/** What drivers have to prepare first is taken when there is nothing simpler. */
function slowLast(devices: readonly PooledDevice[]): readonly PooledDevice[] {
  const isSlow = ({ device }: PooledDevice): boolean => (device.bindingConditions?.length ?? 0) > 0;
  return devices.some(isSlow)
    ? [...devices.filter((each) => !isSlow(each)), ...devices.filter((each) => isSlow(each))]
    : devices;
}

function constraintsOf(claim: DeviceClaim, { gates }: DeviceLookup): readonly AttributeConstraint[] {
  return (claim.spec.devices?.constraints ?? []).map(({ matchAttribute, distinctAttribute, requests }, index) => {
    if (matchAttribute !== undefined) return new AttributeConstraint("same", matchAttribute, requests);
    if (distinctAttribute !== undefined && gates.DRAConsumableCapacity)
      return new AttributeConstraint("distinct", distinctAttribute, requests);
    const which = `claim ${claimName(claim)}, constraint #${index}`;
    throw new Error(`${which}: empty constraint (unsupported constraint type?)`);
  });
}

const NO_AMOUNTS: CapacityAmounts = new Map();
