// How names are resolved in a pod: by the cluster's servers, as the node does, or only as the pod says.

import { append } from "../../base/append.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { DnsConfig } from "../cri/sandbox-messages.ts";

interface DnsSettings {
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** The content of the node's resolv.conf; empty when it has none. */
  readonly resolvConf: string;
}

export interface PodDns {
  readonly config: DnsConfig;
  /** What had to be left out, for the owner of the pod. */
  readonly problem?: string;
}

interface Resolver {
  readonly servers: string[];
  readonly searches: string[];
  readonly options: string[];
}

export function podDns({ metadata, spec }: Pod, settings: DnsSettings): PodDns {
  const resolver = baseOf(spec, metadata.namespace ?? "", settings);
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  const merged: Resolver = {
    servers: unique([...resolver.servers, ...nameservers]),
    searches: unique([...resolver.searches, ...searches]),
    options: mergedOptions(resolver.options, options),
  };
  return limited(merged);
}

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const CLUSTER_OPTIONS = ["ndots:5"];

function baseOf(
  spec: Pod["spec"],
  namespace: string,
  { clusterDns, clusterDomain, resolvConf }: DnsSettings,
): Resolver {
  const policy = spec.dnsPolicy ?? "ClusterFirst";
  if (policy === "None") return { servers: [], searches: [], options: [] };
  const node = parseResolvConf(resolvConf);
  const usesCluster = policy === "ClusterFirstWithHostNet" || (policy === "ClusterFirst" && !spec.hostNetwork);
  if (!usesCluster || clusterDns.length === 0) return node;
  const own = clusterDomain === "" ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return { servers: [...clusterDns], searches: [...own, ...node.searches], options: CLUSTER_OPTIONS };
}

function parseResolvConf(content: string): Resolver {
  const resolver: Resolver = { servers: [], searches: [], options: [] };
  for (const line of content.split("\n")) {
    const [word, ...values] = line
      .replace(/[#;].*$/, "")
      .trim()
      .split(/\s+/);
    if (word === "nameserver" && values[0] !== undefined) resolver.servers.push(values[0]);
    // The last line wins; a dot at the end makes no other domain.
    else if (word === "search") {
      const domains = values.filter((domain) => domain !== ".").map((domain) => domain.replace(/\.$/, ""));
      resolver.searches.splice(0, resolver.searches.length, ...domains);
    } else if (word === "options") append(resolver.options, values);
  }
  return resolver;
}

/** Of the same name, those of the pod win. */
function mergedOptions(
  base: readonly string[],
  own: readonly { readonly name?: string; readonly value?: string }[],
): string[] {
  const merged = new Map(base.map((option) => [option.split(":")[0]!, option]));
  for (const { name, value } of own) if (name) merged.set(name, value === undefined ? name : `${name}:${value}`);
  return [...merged.values()];
}

function limited({ servers, searches, options }: Resolver): PodDns {
  const problems: string[] = [];
  const kept = servers.slice(0, MAX_SERVERS);
  if (kept.length < servers.length)
    problems.push(
      `Nameserver limits were exceeded, some nameservers have been omitted, the applied nameserver line is: ${kept.join(" ")}`,
    );
  const domains = searches.slice(0, MAX_SEARCHES);
  while (domains.join(" ").length > MAX_SEARCH_CHARACTERS) domains.pop();
  if (domains.length < searches.length)
    problems.push(
      `Search Line limits were exceeded, some search paths have been omitted, the applied search line is: ${domains.join(" ")}`,
    );
  const config = { servers: kept, searches: domains, options };
  return problems.length === 0 ? { config } : { config, problem: problems.join("; ") };
}

const unique = (list: readonly string[]): string[] => [...new Set(list)];
