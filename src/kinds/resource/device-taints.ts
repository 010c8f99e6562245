// Which devices a DeviceTaintRule taints, and which taints of devices a request tolerates. Pure.

import type { ObjectOf } from "../../schema/builder.ts";
import type { DeviceClass } from "./device-class.ts";
import type { DeviceTaintRule } from "./device-taint-rule.ts";
import type { ExactDeviceRequest } from "./resource-claim-spec.ts";
import type { Device, deviceTaint, ResourceSlice } from "./resource-slice-schema.ts";
import { meansDevice } from "./select-device.ts";

export type DeviceTaint = ObjectOf<typeof deviceTaint>;
export type DeviceToleration = NonNullable<ExactDeviceRequest["tolerations"]>[number];

interface RuleSurroundings {
  deviceClass(name: string): Pick<DeviceClass, "spec"> | undefined;
  /** Names the types of expressions. */
  readonly dialect: string;
}

/** A text says which selector cannot say it: then the device is not tainted. */
export function ruleMeans(
  { spec: { deviceSelector: selector } }: DeviceTaintRule,
  device: Device,
  { driver, pool }: Pick<ResourceSlice["spec"], "driver" | "pool">,
  { deviceClass, dialect }: RuleSurroundings,
): boolean | string {
  if (selector === undefined) return false;
  if (selector.driver !== undefined && selector.driver !== driver) return false;
  if (selector.pool !== undefined && selector.pool !== pool.name) return false;
  if (selector.device !== undefined && selector.device !== device.name) return false;
  const name = selector.deviceClassName;
  const named = name === undefined ? undefined : deviceClass(name);
  if (name !== undefined && named === undefined) return false;
  try {
    return (
      meansDevice(named?.spec.selectors, driver, device, dialect, () => `DeviceClass ${name}`) &&
      meansDevice(selector.selectors, driver, device, dialect, () => "deviceSelector")
    );
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function toleratesDeviceTaint(toleration: DeviceToleration, taint: DeviceTaint): boolean {
  const { key, operator = "Equal", value = "", effect } = toleration;
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === "Exists" || value === (taint.value ?? "");
}
