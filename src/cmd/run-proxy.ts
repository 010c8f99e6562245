// The proxy of this machine, once the machine is found fit for it: what `plinth up --node` and `plinth proxy` share.

import { checkNftables } from "../nodeagent/check-kernel.ts";
import { checkSupport } from "../proxy/check-support.ts";
import { DEFAULT_CONFIGURATION } from "../proxy/proxy-configuration.ts";
import { type ProxyParts, type RunningProxy, runProxy } from "../proxy/run-proxy.ts";

/** Fails with StartError when the kernel or the nft tool is too old, nft cannot be used, or a port cannot be had. */
export async function runCheckedProxy(parts: ProxyParts): Promise<RunningProxy> {
  const { nftables } = parts.configuration ?? DEFAULT_CONFIGURATION;
  const warning = checkSupport(await checkNftables(), nftables.skipKernelVersionCheck);
  if (warning !== undefined) parts.log.warn({}, warning);
  return await runProxy(parts);
}
