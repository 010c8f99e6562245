// Finds devices on a node for all claims of a pod, or for none: tries one device after the other for one request after the
// other, and goes back where that leads nowhere. The first way through is taken. Pure.

import type { AllocationResult } from "../../kinds/resource/resource-claim-schema.ts";
import type { DeviceClaim, DeviceLookup } from "../state/devices.ts";
import type { NodeInfo } from "../state/node-info.ts";
import { allocationOf, type Taken } from "./allocation-result.ts";
import { type Pool, type PooledDevice, poolsOn } from "./pools.ts";
import { claimName, MAX_RESULTS, type Way, waysOf } from "./requests.ts";
import { SameAttribute } from "./same-attribute.ts";
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
    return { type: "found", allocations: claims.map((claim, at) => allocationOf(claim, search.taken[at]!, node.name)) };
  return patience.steps < 0 ? { type: "gave up" } : { type: "none" };
}

interface ClaimSearch {
  readonly claim: DeviceClaim;
  readonly requests: readonly (readonly Way[])[];
  readonly constraints: readonly SameAttribute[];
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
  /** What was taken for each claim. */
  readonly taken: readonly Taken[][];

  constructor(claims: readonly DeviceClaim[], pools: readonly Pool[], lookup: DeviceLookup, patience: Patience) {
    this.#claims = claims.map((claim) => ({
      claim,
      requests: waysOf({ claim, pools, lookup }),
      constraints: constraintsOf(claim),
    }));
    this.#devices = pools.filter(({ problem }) => problem === undefined).flatMap(({ devices }) => devices);
    this.#broken = pools.find(({ problem }) => problem !== undefined);
    this.#lookup = lookup;
    this.#counters = new SharedCounters(({ key }) => lookup.isTaken(key));
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
    const last = way.all === undefined ? devices.length - missing : from;
    for (let at = from; at <= last; at += 1) {
      this.#patience.steps -= 1;
      if (this.#patience.steps < 0) return false;
      const device = devices[at]!;
      if (!this.#take(filling, device)) continue;
      if (this.#fill(filling, at + 1, missing - 1)) return true;
      this.#giveBack(filling, device);
    }
    if (way.all === undefined && this.#broken !== undefined)
      throw new Error(`pool ${this.#broken.name} is invalid: ${this.#broken.problem}`);
    return false;
  }

  #take({ claim, taken, way }: Filling, device: PooledDevice): boolean {
    const takers = this.#takers.get(device.key);
    if (way.isAdmin ? takers?.has(claim) : (takers?.size ?? 0) > 0 || this.#lookup.isTaken(device.key)) return false;
    if (way.all === undefined && !way.fits(device)) return false;
    if (!isTolerated(device, way)) return false;
    if (!this.#counters.take(device)) return false;
    const refusing = claim.constraints.findIndex((constraint) => !constraint.add(device, way));
    if (refusing >= 0) {
      this.#counters.giveBack(device);
      for (const constraint of claim.constraints.slice(0, refusing)) constraint.remove(way);
      if (way.all === undefined) return false;
      const which = `claim ${claimName(claim.claim)}, request ${way.name}`;
      throw new Error(`${which}: cannot add device ${device.key} because a claim constraint would not be satisfied`);
    }
    this.#takers.set(device.key, (takers ?? new Set()).add(claim));
    taken.push({ device, way });
    return true;
  }

  #giveBack({ claim, taken, way }: Filling, device: PooledDevice): void {
    for (const constraint of claim.constraints) constraint.remove(way);
    this.#counters.giveBack(device);
    this.#takers.get(device.key)?.delete(claim);
    taken.pop();
  }
}

interface Filling {
  readonly claim: ClaimSearch;
  readonly taken: Taken[];
  readonly way: Way;
  readonly devices: readonly PooledDevice[];
  readonly next: () => boolean;
}

function constraintsOf(claim: DeviceClaim): readonly SameAttribute[] {
  return (claim.spec.devices?.constraints ?? []).map(({ matchAttribute, requests }, index) => {
    if (matchAttribute !== undefined) return new SameAttribute(matchAttribute, requests);
    const which = `claim ${claimName(claim)}, constraint #${index}`;
    throw new Error(`${which}: empty constraint (unsupported constraint type?)`);
  });
}

function isTolerated({ device }: PooledDevice, { tolerations }: Way): boolean {
  return (device.taints ?? []).every((taint) =>
    (tolerations ?? []).some(
      ({ key, operator = "Equal", value = "", effect }) =>
        (!effect || effect === taint.effect) &&
        (!key || key === taint.key) &&
        (operator === "Exists" || value === (taint.value ?? "")),
    ),
  );
}
