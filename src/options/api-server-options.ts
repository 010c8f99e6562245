// The flags of the API server and the options object that comes from them.

import type { FlagSection } from "../base/flag-help.ts";
import { parseFlags } from "../base/flags.ts";
import { UsageError } from "../base/start-error.ts";
import { aggregationFlags } from "./aggregation-flags.ts";
import { type ApiServerFlagKey, type ApiServerOptions, apiServerFlags } from "./api-server-flags.ts";
import {
  authenticationFlags,
  oidcFlags,
  requestHeaderFlags,
  serviceAccountFlags,
  tokenWebhookFlags,
} from "./authentication-flags.ts";
import { admissionFlags, auditFlags, authorizationFlags, featureFlags } from "./authorization-flags.ts";
import { serverGates } from "./feature-gate-table.ts";
import { checkFlagRules } from "./flag-rules.ts";
import { nodeAgentFlags } from "./node-agent-flags.ts";
import { parseRuntimeConfig } from "./runtime-config.ts";
import { processFlags, servingFlags } from "./serving-flags.ts";
import { storageFlags } from "./storage-flags.ts";

export { type ApiServerFlagKey, type ApiServerOptions, apiServerFlags } from "./api-server-flags.ts";

export const apiServerSections: readonly FlagSection[] = [
  { title: "Serving", flags: servingFlags },
  { title: "Storage", flags: storageFlags },
  { title: "Authentication", flags: authenticationFlags },
  { title: "OpenID Connect", flags: oidcFlags },
  { title: "Token review by webhook", flags: tokenWebhookFlags },
  { title: "Authenticating proxy", flags: requestHeaderFlags },
  { title: "Aggregated API servers", flags: aggregationFlags },
  { title: "Node agents", flags: nodeAgentFlags },
  { title: "Service accounts", flags: serviceAccountFlags },
  { title: "Authorization", flags: authorizationFlags },
  { title: "Audit", flags: auditFlags },
  { title: "Admission", flags: admissionFlags },
  { title: "Features", flags: featureFlags },
  { title: "Process", flags: processFlags },
];

/** Reads and checks the flags, alone and together. Fails with UsageError. */
export function parseApiServerOptions(args: readonly string[]): ApiServerOptions {
  const { options, given, rest } = parseFlags(apiServerFlags, args);
  if (rest.length > 0)
    throw new UsageError(`unexpected argument ${JSON.stringify(rest[0])}: values belong to flags, as --flag=value`);
  checkApiServerOptions(options, given);
  return options;
}

/** The flags together. `given`: the keys that stood on the command line. Fails with UsageError. */
export function checkApiServerOptions(options: ApiServerOptions, given: ReadonlySet<ApiServerFlagKey>): void {
  checkFlagRules(options, given);
  // Their values are read where they are used; a mistake in them must show before anything is touched.
  serverGates(options.featureGates, options.dialect);
  parseRuntimeConfig(options.runtimeConfig);
}
