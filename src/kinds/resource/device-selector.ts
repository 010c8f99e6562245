// Which devices, and how they are set up.

import { type ObjectOf, ptr, s } from "../../schema/builder.ts";

export type DeviceSelector = ObjectOf<typeof deviceSelector>;

export const deviceSelector = s.struct("resource.v1.DeviceSelector", "A condition that devices must meet.", () => ({
  cel: ptr.of(celDeviceSelector, 1, "The condition as an expression in CEL."),
}));

const celDeviceSelector = s.struct("resource.v1.CELDeviceSelector", "A condition on devices in CEL.", () => ({
  expression: s.string(
    1,
    "Gives true for devices that fit; the variable device has their driver, attributes and capacity. At most 10 KiB.",
  ),
}));

export type DeviceConfiguration = ObjectOf<typeof deviceConfiguration>;

export const deviceConfiguration = s.struct(
  "resource.v1.DeviceConfiguration",
  "Settings for devices; must be for exactly one driver.",
  () => ({
    opaque: ptr.of(opaqueDeviceConfiguration, 1, "Settings that only the driver understands."),
  }),
);

const opaqueDeviceConfiguration = s.struct(
  "resource.v1.OpaqueDeviceConfiguration",
  "Settings in a form that the driver defines.",
  () => ({
    driver: s.string(1, "Driver that the settings are for, named like a domain."),
    parameters: s.any(
      "rawExtension",
      2,
      "An object that the driver defines, usually with kind and apiVersion. At most 10 KiB.",
    ),
  }),
);
