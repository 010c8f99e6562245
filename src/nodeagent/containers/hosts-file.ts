// The hosts file of a pod: its own name, and the names that it adds.

import type { Pod } from "../../kinds/core/pod.ts";
import type { Names } from "../../meta/names.ts";

interface PodHost {
  readonly ips: readonly string[];
  readonly hostname: string;
  /** With the domain; undefined where the pod has none. */
  readonly fullName?: string | undefined;
}

const LOCAL = [
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

/** `nodeHosts` is the node's own file, which a pod in the node's network builds on. Programs look at the title. */
export function hostsFile(
  { managedHostsTitle }: Names,
  { spec }: Pod,
  { ips, hostname, fullName }: PodHost,
  nodeHosts: string,
): string {
  const aliases = (spec.hostAliases ?? []).filter(({ hostnames }) => hostnames?.length);
  const added =
    aliases.length === 0
      ? []
      : [
          "",
          "# Entries added by HostAliases.",
          ...aliases.map(({ ip, hostnames }) => [ip, ...(hostnames ?? [])].join("\t")),
        ];
  if (spec.hostNetwork)
    return [`# ${managedHostsTitle} (host network).\n${nodeHosts.trimEnd()}`, ...added, ""].join("\n");
  const own = ips.map((ip) => [ip, ...(fullName === undefined ? [] : [fullName]), hostname].join("\t"));
  return [`# ${managedHostsTitle}.`, ...LOCAL, ...own, ...added, ""].join("\n");
}

const MAX_HOSTNAME = 63;

/** The name by which the pod knows itself, and with its domain. */
export function podHostname({ metadata, spec }: Pod, clusterDomain: string): { hostname: string; fullName?: string } {
  const wanted = spec.hostnameOverride || spec.hostname || (metadata.name ?? "").slice(0, MAX_HOSTNAME);
  const hostname = spec.hostnameOverride || spec.hostname ? wanted : wanted.replace(/[-.]+$/, "");
  if (!spec.subdomain || spec.hostnameOverride) return { hostname };
  return { hostname, fullName: `${hostname}.${spec.subdomain}.${metadata.namespace}.svc.${clusterDomain}` };
}
