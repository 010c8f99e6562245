// Feature gates as the configuration and --feature-gates set them. Gates that upstream has named after its own agent are
// known under this agent's name too.

import type { FeatureGates } from "../../base/feature-gates.ts";
import { UsageError } from "../../base/start-error.ts";
import type { Dialect } from "../../meta/names.ts";
import { type GateName, serverGates } from "../../options/feature-gate-table.ts";
import { ConfigError } from "../../options/read-config.ts";

/** Fails with ConfigError on an unknown gate and on one that cannot be set so. */
export function agentGates(settings: Readonly<Record<string, boolean>>, dialect: Dialect): FeatureGates<GateName> {
  const upstream = new Map(Object.entries(settings).map(([name, value]) => [upstreamName(name), String(value)]));
  try {
    return serverGates(upstream, dialect);
  } catch (error) {
    if (error instanceof UsageError) throw new ConfigError("featureGates", error.message.replace(/^flag \S+ /, ""));
    throw error;
  }
}

const upstreamName = (name: string): string => name.replace(/^NodeAgent(?=[A-Z])/, "Kubelet");
