// Whether nftables can be used here. Requirements: document 3, "Kernel requirements (Linux)": nft 1.0.1 and kernel 5.13; kernel
// 5.4 only with nftables.skipKernelVersionCheck.

import { StartError } from "../base/start-error.ts";

/** What was found of the requirement on this machine. */
export interface NftablesSupport {
  readonly verdict: "ok" | "missing" | "discouraged";
  readonly requirement: string;
  readonly found: string;
}

/** A warning when it can be used but should not; undefined when all is well. Fails with StartError when it cannot be used. */
export function checkSupport(
  { verdict, requirement, found }: NftablesSupport,
  skipKernelVersionCheck: boolean,
): string | undefined {
  if (verdict === "ok") return undefined;
  if (verdict === "discouraged" && skipKernelVersionCheck) return `the proxy needs ${requirement}; found ${found}`;
  throw new StartError(`the proxy needs ${requirement}; found ${found}`);
}
