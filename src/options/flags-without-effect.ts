// Flags that this build reads and checks but that nothing acts on yet. A server that is given one says so when it starts.
// test/house keeps this list true.

import { flagName } from "../base/flags.ts";
import { type ApiServerFlagKey, type ApiServerOptions, apiServerFlags } from "./api-server-options.ts";

export const FLAGS_WITHOUT_EFFECT: readonly ApiServerFlagKey[] = ["auditLogTruncateMaxBatchSize"];

/** The names of those that differ from their defaults. */
export function flagsWithoutEffect(options: ApiServerOptions): string[] {
  return FLAGS_WITHOUT_EFFECT.filter((key) => options[key] !== apiServerFlags[key].default).map(
    (key) => `--${flagName(key)}`,
  );
}
