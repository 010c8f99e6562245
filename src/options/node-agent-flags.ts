// Flags: how the agents of nodes are reached, for logs, commands in containers, port forwarding and node proxies.

import { listFlag, pathFlag } from "../base/flag-values.ts";
import { durationFlag } from "../meta/flag-values.ts";

/** The dialects differ in the case of one of them, so case does not count. */
const ADDRESS_TYPES = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];

export const nodeAgentFlags = {
  kubeletClientCertificate: pathFlag({
    default: undefined,
    doc: "PEM file with the client certificate that the agents of nodes are shown. Read again when it changes.",
  }),
  kubeletClientKey: pathFlag({ default: undefined, doc: "PEM file with its private key." }),
  kubeletCertificateAuthority: pathFlag({
    default: undefined,
    doc: "PEM file with the authorities of the agents' certificates; not checked when not set. Read again when it changes.",
  }),
  kubeletPreferredAddressTypes: listFlag({
    default: ADDRESS_TYPES,
    replaces: true,
    problem: (type) =>
      ADDRESS_TYPES.some((known) => known.toLowerCase() === type.toLowerCase())
        ? undefined
        : `must be one of ${ADDRESS_TYPES.join(", ")}`,
    doc: "Types of node addresses, the best first.",
  }),
  kubeletTimeoutMs: durationFlag({
    default: "5s",
    min: "1ms",
    doc: "How long a connection to the agent of a node may take to stand.",
  }),
} as const;
