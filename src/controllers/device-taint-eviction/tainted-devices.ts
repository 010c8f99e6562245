// The taints of devices by name, from slices and rules of informers.

import { kinds } from "../../client/built-in-kinds.ts";
import type { Informer, Stored } from "../../client/informer.ts";
import type { SharedInformers } from "../../client/shared-informers.ts";
import type { DeviceClass } from "../../kinds/resource/device-class.ts";
import type { DeviceTaintRule } from "../../kinds/resource/device-taint-rule.ts";
import { type DeviceTaint, ruleMeans } from "../../kinds/resource/device-taints.ts";
import type { ResourceSlice } from "../../kinds/resource/resource-slice.ts";
import { type AllocatedDevice, isEvicting } from "./eviction-time.ts";

type Slice = Stored<ResourceSlice>;

interface TaintedDevicesParts {
  readonly informers: SharedInformers;
  readonly dialect: string;
  /** Told of a rule that cannot say of a device whether it means it. */
  readonly onProblem: (rule: Stored<DeviceTaintRule>, problem: string) => void;
}

const POOL_INDEX = "pool";

/** Of slices and of allocated devices. Only the pool's name may have slashes. */
export const poolId = (driver: string, pool: string): string => `${driver}/${pool}`;

export class TaintedDevices {
  readonly slices: Informer<ResourceSlice>;
  readonly rules: Informer<DeviceTaintRule>;
  readonly classes: Informer<DeviceClass>;
  readonly #parts: TaintedDevicesParts;

  constructor(parts: TaintedDevicesParts) {
    this.#parts = parts;
    const { informers } = parts;
    this.slices = informers.of(kinds.devices.v1.resourceSlices, {
      indexes: { [POOL_INDEX]: ({ spec }) => [poolId(spec.driver, spec.pool.name)] },
    });
    this.rules = informers.of(kinds.devices.v1alpha3.deviceTaintRules);
    this.classes = informers.of(kinds.devices.v1.deviceClasses);
  }

  /** None of devices that are not there (any more). */
  taintsOf({ driver, pool, device: name }: AllocatedDevice): readonly DeviceTaint[] {
    for (const { spec } of this.#newest(poolId(driver, pool))) {
      const device = spec.devices?.find((each) => each.name === name);
      if (device === undefined) continue;
      const context = {
        dialect: this.#parts.dialect,
        deviceClass: (className: string) => this.classes.cache.get({ name: className }),
      };
      const rules = [...this.rules.cache.values()].filter((rule) => {
        const answer = ruleMeans(rule, device, spec, context);
        if (typeof answer === "string") this.#parts.onProblem(rule, answer);
        return answer === true;
      });
      return [...(device.taints ?? []), ...rules.map((rule) => rule.spec.taint)];
    }
    return [];
  }

  /** Whether a change of a slice can matter: most pools have no taints at all. */
  hasEvictingTaints(pool: string, before: Slice | undefined): boolean {
    const slices = this.slices.cache.byIndex(POOL_INDEX, pool);
    return [...slices, ...(before === undefined ? [] : [before])].some(({ spec }) =>
      spec.devices?.some(({ taints }) => taints?.some(isEvicting)),
    );
  }

  /** Slices of older generations do not count. */
  #newest(pool: string): readonly Slice[] {
    const slices = this.slices.cache.byIndex(POOL_INDEX, pool);
    const newest = slices.reduce((most, { spec }) => Math.max(most, Number(spec.pool.generation)), 0);
    return slices.filter(({ spec }) => Number(spec.pool.generation) === newest);
  }
}
