// Flags: API servers behind this one, and the Services that webhooks are named by.

import { boolFlag, pathFlag } from "../base/flag-values.ts";

export const aggregationFlags = {
  proxyClientCertFile: pathFlag({
    default: undefined,
    doc: "PEM file with the client certificate that aggregated API servers are shown. Read again when it changes.",
  }),
  proxyClientKeyFile: pathFlag({ default: undefined, doc: "PEM file with its private key." }),
  egressSelectorConfigFile: pathFlag({
    default: undefined,
    doc: "File with an EgressSelectorConfiguration: through which proxies other servers, pods and services are reached.",
  }),
  enableAggregatorRouting: boolFlag({
    default: false,
    doc: "Call the endpoints of Services that webhooks and API servers are named by, not their cluster addresses.",
  }),
  aggregatorRejectForwardingRedirect: boolFlag({
    default: true,
    doc: "Refuse redirects by aggregated API servers instead of passing them on to clients.",
  }),
} as const;
