// Messages and procedures of plug-ins that place a socket in the registry's directory, v1.

import { message, p, type Read } from "../grpc/message.ts";
import { serviceMethods } from "../grpc/method.ts";

export type PluginInfo = Read<typeof pluginInfo>;

const pluginInfo = message({
  type: p.string(1),
  name: p.string(2),
  /** Where the plug-in serves; the socket itself when empty. */
  endpoint: p.string(3),
  supportedVersions: p.many(p.string(4)),
});
const registrationStatus = message({ pluginRegistered: p.bool(1), error: p.string(2) });
const nothing = message({});
const { unary } = serviceMethods("pluginregistration.Registration");

export const registrationProcedures = {
  info: unary("GetInfo", nothing, pluginInfo),
  notify: unary("NotifyRegistrationStatus", registrationStatus, nothing),
} as const;
