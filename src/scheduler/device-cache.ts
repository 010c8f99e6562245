// Claims for devices, classes and slices from informers, and the devices that this scheduler has promised to claims.

import { randomUUID } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { equalJson } from "../base/json.ts";
import { kinds } from "../client/built-in-kinds.ts";
import { byController } from "../client/indexes.ts";
import { type Informer, keyOf, keyText, type Stored } from "../client/informer.ts";
import type { SharedInformers } from "../client/shared-informers.ts";
import type { DeviceClass } from "../kinds/resource/device-class.ts";
import type { DeviceTaintRule } from "../kinds/resource/device-taint-rule.ts";
import { type DeviceTaint, ruleMeans } from "../kinds/resource/device-taints.ts";
import type { ResourceClaim } from "../kinds/resource/resource-claim.ts";
import type { AllocationResult } from "../kinds/resource/resource-claim-schema.ts";
import type { ResourceSlice } from "../kinds/resource/resource-slice.ts";
import type { Device } from "../kinds/resource/resource-slice-schema.ts";
import type { Names } from "../meta/names.ts";
import { compareResourceVersions } from "../meta/resource-version.ts";
import type { SchedulerGates } from "./scheduler-gates.ts";
import { type CapacityAmounts, changedAmounts } from "./state/capacity-amounts.ts";
import { type DeviceClaim, type DeviceLookup, type Slice, usedBy } from "./state/devices.ts";

interface DeviceCacheParts {
  readonly informers: SharedInformers;
  readonly names: Names;
  readonly gates: SchedulerGates;
  readonly clock: Clock;
}

/** With upstream's names of what happened. */
interface DeviceChanges {
  /** More pods may get devices than before. */
  devices(event: string): void;
  /** The same, and extended resources may come from devices now. */
  classes(event: string): void;
  /** A claim ("namespace/name") is there, or is not what it was. */
  claim(key: string, event: string): void;
}

interface Promised {
  readonly use: ReturnType<typeof usedBy>;
  /** What the server answered, until the informer knows. */
  written: DeviceClaim | undefined;
}

interface Shares {
  readonly count: number;
  readonly amounts: CapacityAmounts;
}

/** Classes by the extended resource that they stand for; claims for such resources by their pod. */
const RESOURCE_INDEX = "resource";
const EXTENDED_INDEX = "extended";
/** Slices by the node that they name; those that name none. */
const NODE_INDEX = "node";
const NO_NODE = "";

export class DeviceCache implements DeviceLookup {
  readonly #claims: Informer<ResourceClaim>;
  readonly #classes: Informer<DeviceClass>;
  readonly #slices: Informer<ResourceSlice>;
  /** How many claims keep a device; two where something went wrong. */
  readonly #kept = new Map<string, number>();
  readonly #shares = new Map<string, Shares>();
  /** By the uid of the claim. */
  readonly #promised = new Map<string, Promised>();
  /** Undefined where taints do not matter. */
  readonly #taintRules: Informer<DeviceTaintRule> | undefined;
  readonly gates: SchedulerGates;
  readonly dialect: string;
  readonly #clock: Clock;

  constructor({ informers, names, gates, clock }: DeviceCacheParts, changes: DeviceChanges) {
    this.dialect = names.dialect;
    this.#clock = clock;
    this.gates = gates;
    const isExtended = ({ metadata }: Stored<ResourceClaim>): boolean =>
      metadata.annotations?.[names.extendedResourceClaimAnnotation] === "true";
    this.#claims = informers.of(kinds.devices.v1.resourceClaims, {
      indexes: { [EXTENDED_INDEX]: (claim) => (isExtended(claim) ? byController(claim) : []) },
    });
    this.#classes = informers.of(kinds.devices.v1.deviceClasses, {
      indexes: { [RESOURCE_INDEX]: ({ spec }) => (spec.extendedResourceName ? [spec.extendedResourceName] : []) },
    });
    this.#slices = informers.of(kinds.devices.v1.resourceSlices, {
      indexes: { [NODE_INDEX]: ({ spec }) => [spec.nodeName ?? NO_NODE] },
    });
    const group = names.group("resource");
    const classChanged = (event: string) => () => changes.classes(`${group}/DeviceClass${event}`);
    this.#classes.addHandlers({ added: classChanged("Add"), updated: classChanged("Update") });
    const sliceChanged = (event: string) => () => changes.devices(`${group}/ResourceSlice${event}`);
    this.#slices.addHandlers({ added: sliceChanged("Add"), updated: sliceChanged("Update") });
    if (gates.DRADeviceTaints) {
      this.#taintRules = informers.of(kinds.devices.v1alpha3.deviceTaintRules);
      // To upstream a rule is a change of the slices that it taints.
      this.#taintRules.addHandlers({ updated: sliceChanged("Update"), deleted: sliceChanged("Update") });
    }
    const [added, updated, deleted] = ["Add", "Update", "Delete"].map((what) => `${group}/ResourceClaim${what}`) as [
      string,
      string,
      string,
    ];
    this.#claims.addHandlers({
      added: (claim) => {
        this.#keep(usedBy(claim), 1);
        this.#settle(claim);
        changes.claim(keyText(keyOf(claim)), added);
      },
      updated: (claim, old) => {
        this.#settle(claim);
        if (equalJson(claim.status, old.status) && sameLife(claim, old)) return;
        this.#keep(usedBy(old), -1);
        this.#keep(usedBy(claim), 1);
        changes.claim(keyText(keyOf(claim)), updated);
        if (old.status.allocation !== undefined && claim.status.allocation === undefined) changes.devices(updated);
      },
      deleted: (claim) => {
        this.#keep(usedBy(claim), -1);
        this.#end(claim.metadata.uid);
        changes.claim(keyText(keyOf(claim)), deleted);
        if (claim.status.allocation !== undefined || isExtended(claim)) changes.devices(deleted);
      },
    });
  }

  claim(namespace: string, name: string): DeviceClaim | undefined {
    const known = this.#claims.cache.get({ namespace, name });
    return known && (this.#promised.get(known.metadata.uid)?.written ?? known);
  }

  deviceClass(name: string): Stored<DeviceClass> | undefined {
    return this.#classes.cache.get({ name });
  }

  /** Of several, the one that was made last; of those, the first by name. */
  classOfResource(resource: string): string | undefined {
    const [first] = this.#classes.cache
      .byIndex(RESOURCE_INDEX, resource)
      .sort(
        ({ metadata: one }, { metadata: other }) =>
          Date.parse(other.creationTimestamp) - Date.parse(one.creationTimestamp) || (one.name < other.name ? -1 : 1),
      );
    return first?.metadata.name;
  }

  extendedClaimOf(podUid: string): DeviceClaim | undefined {
    return this.#claims.cache.byIndex(EXTENDED_INDEX, podUid)[0];
  }

  *slicesFor(nodeName: string): Iterable<Slice> {
    yield* this.#slices.cache.byIndex(NODE_INDEX, nodeName);
    yield* this.#slices.cache.byIndex(NODE_INDEX, NO_NODE);
  }

  taintsOf(device: Device, { spec }: Slice): readonly DeviceTaint[] {
    if (this.#taintRules === undefined) return [];
    const own = device.taints ?? [];
    const rules = [...this.#taintRules.cache.values()].filter((rule) => ruleMeans(rule, device, spec, this) === true);
    return rules.length === 0 ? own : [...own, ...rules.map((rule) => rule.spec.taint)];
  }

  isTaken(device: string): boolean {
    return this.#kept.has(device);
  }

  sharesOf(device: string): CapacityAmounts | undefined {
    return this.#shares.get(device)?.amounts;
  }

  newShareId(): string {
    return randomUUID();
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  onClaimChange(run: () => void): { remove(): void } {
    return this.#claims.addHandlers({ added: run, updated: run, deleted: run });
  }

  isBeingAllocated(claimUid: string): boolean {
    const promised = this.#promised.get(claimUid);
    return promised !== undefined && promised.written === undefined;
  }

  /** Nobody else is given these devices. */
  promise({ metadata }: DeviceClaim, allocation: AllocationResult): void {
    const use = usedBy({ status: { allocation } });
    this.#keep(use, 1);
    this.#promised.set(metadata.uid, { use, written: undefined });
  }

  /** What was promised to one is meant for the other, which was made for it. */
  pass({ metadata: { uid } }: DeviceClaim, made: DeviceClaim): void {
    const promised = this.#promised.get(uid);
    if (promised === undefined) return;
    this.#promised.delete(uid);
    this.#promised.set(made.metadata.uid, promised);
  }

  /** The server has written it down: it counts from now on, also while the informer does not know. */
  wrote(claim: DeviceClaim): void {
    const promised = this.#promised.get(claim.metadata.uid);
    if (promised === undefined) return;
    promised.written = claim;
    const known = this.#claims.cache.get(keyOf(claim));
    if (known !== undefined) this.#settle(known);
  }

  /** The promise is taken back, where it was not kept. */
  release({ metadata: { uid } }: DeviceClaim): void {
    if (this.isBeingAllocated(uid)) this.#end(uid);
  }

  /** The claim is gone, whether or not it was ever seen here. */
  forget({ metadata: { uid } }: DeviceClaim): void {
    this.#end(uid);
  }

  /** Ends a promise that the informer has caught up with. */
  #settle({ metadata, status }: DeviceClaim): void {
    const promised = this.#promised.get(metadata.uid);
    if (promised === undefined) return;
    const version = promised.written?.metadata.resourceVersion;
    // What was written may never be seen itself: a stream that broke goes on with what the claim is by then.
    const isWritten = version !== undefined && (compareResourceVersions(metadata.resourceVersion, version) ?? 0) >= 0;
    if (isWritten || status.allocation !== undefined) this.#end(metadata.uid);
  }

  #end(uid: string): void {
    const promised = this.#promised.get(uid);
    if (promised !== undefined) this.#keep(promised.use, -1);
    this.#promised.delete(uid);
  }

  #keep({ whole, shares }: ReturnType<typeof usedBy>, change: 1 | -1): void {
    for (const device of whole) {
      const count = (this.#kept.get(device) ?? 0) + change;
      if (count > 0) this.#kept.set(device, count);
      else this.#kept.delete(device);
    }
    for (const [device, amounts] of shares) {
      const known = this.#shares.get(device) ?? NO_SHARES;
      const count = known.count + change;
      if (count > 0) this.#shares.set(device, { count, amounts: changedAmounts(known.amounts, amounts, change) });
      else this.#shares.delete(device);
    }
  }
}

const NO_SHARES: Shares = { count: 0, amounts: new Map() };

const sameLife = ({ metadata }: DeviceClaim, old: DeviceClaim): boolean =>
  metadata.deletionTimestamp === old.metadata.deletionTimestamp && metadata.uid === old.metadata.uid;
