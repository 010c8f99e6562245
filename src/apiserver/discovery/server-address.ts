// Where clients reach this server, as /api tells them.

import type { ApiServerOptions } from "../../options/api-server-options.ts";
import { advertisedAddress } from "../services/api-service.ts";

export function serverAddressOf(
  { advertiseAddress, bindAddress }: Pick<ApiServerOptions, "advertiseAddress" | "bindAddress">,
  port: number,
): string {
  const host = advertisedAddress(advertiseAddress, bindAddress) ?? bindAddress;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
