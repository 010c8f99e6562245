// What the flags of a control plane say. Most tests of a process start theirs with the same ones.

import type { FeatureGates } from "../base/feature-gates.ts";
import type { Dialect } from "../meta/names.ts";
import { type ApiServerOptions, parseApiServerOptions } from "../options/api-server-options.ts";
import { type GateName, serverGates } from "../options/feature-gate-table.ts";

interface Flags {
  readonly options: ApiServerOptions;
  readonly gates: FeatureGates<GateName>;
}

let last: { readonly id: string; readonly read: Flags } | undefined;

/** Fails with UsageError where they are wrong. */
export function readFlags({ flags, dialect }: { readonly flags: readonly string[]; readonly dialect: Dialect }): Flags {
  const id = JSON.stringify([dialect, flags]);
  if (last?.id !== id) {
    const options = parseApiServerOptions([...flags]);
    last = { id, read: { options, gates: serverGates(options.featureGates, dialect) } };
  }
  return last.read;
}
