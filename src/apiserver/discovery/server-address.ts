// Where clients reach this server, as /api tells them.

import { hostPort } from "../../meta/host-port.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";
import { advertisedAddress } from "../services/api-service.ts";

export function serverAddressOf(
  { advertiseAddress, bindAddress }: Pick<ApiServerOptions, "advertiseAddress" | "bindAddress">,
  port: number,
): string {
  return hostPort(advertisedAddress(advertiseAddress, bindAddress) ?? bindAddress, port);
}
