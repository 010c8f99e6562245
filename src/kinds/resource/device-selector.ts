// Which devices, and how they are set up.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type DeviceSelector = ObjectOf<typeof deviceSelector>;

export const deviceSelector = s.struct("resource.v1.DeviceSelector", () => ({
  cel: s.of(celDeviceSelector, { proto: 1, optional: true, pointer: true }),
}));

export type CELDeviceSelector = ObjectOf<typeof celDeviceSelector>;

export const celDeviceSelector = s.struct("resource.v1.CELDeviceSelector", () => ({
  expression: s.string({ proto: 1 }),
}));

export type DeviceConfiguration = ObjectOf<typeof deviceConfiguration>;

export const deviceConfiguration = s.struct("resource.v1.DeviceConfiguration", () => ({
  opaque: s.of(opaqueDeviceConfiguration, { proto: 1, optional: true, pointer: true }),
}));

export type OpaqueDeviceConfiguration = ObjectOf<typeof opaqueDeviceConfiguration>;

export const opaqueDeviceConfiguration = s.struct("resource.v1.OpaqueDeviceConfiguration", () => ({
  driver: s.string({ proto: 1 }),
  parameters: s.any("rawExtension", { proto: 2 }),
}));
