// The table of all flags of the API server, and the options that come from them.

import type { OptionsOf } from "../base/flags.ts";
import { aggregationFlags } from "./aggregation-flags.ts";
import {
  authenticationFlags,
  oidcFlags,
  requestHeaderFlags,
  serviceAccountFlags,
  tokenWebhookFlags,
} from "./authentication-flags.ts";
import { admissionFlags, auditFlags, authorizationFlags, featureFlags } from "./authorization-flags.ts";
import { nodeAgentFlags } from "./node-agent-flags.ts";
import { processFlags, servingFlags } from "./serving-flags.ts";
import { storageFlags } from "./storage-flags.ts";

export const apiServerFlags = {
  ...servingFlags,
  ...storageFlags,
  ...authenticationFlags,
  ...oidcFlags,
  ...tokenWebhookFlags,
  ...requestHeaderFlags,
  ...aggregationFlags,
  ...nodeAgentFlags,
  ...serviceAccountFlags,
  ...authorizationFlags,
  ...auditFlags,
  ...admissionFlags,
  ...featureFlags,
  ...processFlags,
} as const;

export type ApiServerOptions = OptionsOf<typeof apiServerFlags>;
export type ApiServerFlagKey = keyof typeof apiServerFlags;
