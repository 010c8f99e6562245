// Which options leave a first start as the build has prepared it.

import { defaultRoleGates } from "../../authz/default-role-gates.ts";
import { parseBool } from "../../base/flag-values.ts";
import type { Dialect } from "../../meta/names.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";
import { serverGates } from "../../options/feature-gate-table.ts";

/** Whether a first start makes all that was prepared, as it was prepared. It may make more, and then does so itself. */
export function makesPreparedState(
  options: ApiServerOptions,
  dialect: Dialect,
  gateEnabled: (gate: string) => boolean,
): boolean {
  return (
    options.enablePriorityAndFairness &&
    turnsNothingOff(options.runtimeConfig) &&
    (options.featureGates.size === 0 || hasOrdinaryRoles(dialect, gateEnabled)) &&
    // All other plug-ins let pass what the server makes, and change nothing of it; what a file makes of them nobody knows.
    !options.enableAdmissionPlugins.includes("AlwaysDeny") &&
    options.admissionControlConfigFile === undefined
  );
}

const turnsNothingOff = (settings: ReadonlyMap<string, string>): boolean =>
  [...settings.values()].every((text) => parseBool(text) === true);

/** Nothing else of what was prepared depends on gates. */
function hasOrdinaryRoles(dialect: Dialect, gateEnabled: (gate: string) => boolean): boolean {
  const ordinary: { enabled(gate: string): boolean } = serverGates(new Map(), dialect);
  return [...defaultRoleGates()].every((gate) => gateEnabled(gate) === ordinary.enabled(gate));
}
