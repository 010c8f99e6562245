// Which options leave a first start as the build has prepared it.

import { DEFAULT_ROLE_GATES } from "../../authz/default-role-gates.ts";
import { parseBool } from "../../base/truth-words.ts";
import type { ApiServerOptions } from "../../options/api-server-options.ts";

/** Whether a first start makes all that was prepared, as it was prepared. It may make more, and then does so itself. */
export function makesPreparedState(options: ApiServerOptions, gateEnabled: (gate: string) => boolean): boolean {
  return (
    options.enablePriorityAndFairness &&
    turnsNothingOff(options.runtimeConfig) &&
    // With them there are other roles; nothing else of what was prepared depends on gates.
    !DEFAULT_ROLE_GATES.some(gateEnabled) &&
    // All other plug-ins let pass what the server makes, and change nothing of it; what a file makes of them nobody knows.
    !options.enableAdmissionPlugins.includes("AlwaysDeny") &&
    options.admissionControlConfigFile === undefined
  );
}

const turnsNothingOff = (settings: ReadonlyMap<string, string>): boolean =>
  [...settings.values()].every((text) => parseBool(text) === true);
