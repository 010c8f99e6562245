// Which backend a set of Ingresses gives a request, by the document's rules. Pure: for consoles, command lines and
// controllers. Requirements: document 3, "Ingress": rules, hosts, paths, defaultBackend.

import type { HTTPIngressPath, Ingress, IngressBackend, IngressRule } from "./ingress-schema.ts";

interface HttpTarget {
  /** As the Host header has it; a port is ignored. */
  readonly host: string;
  /** As the request line has it; a query is ignored. */
  readonly path: string;
}

interface IngressMatch {
  readonly ingress: Ingress;
  readonly backend: IngressBackend;
  /** The rule and the path in it that matched; absent when the default backend serves the request. */
  readonly rule?: number;
  readonly path?: number;
}

interface MatchOptions {
  /** How the class of the Ingresses reads paths of type ImplementationSpecific; as a prefix when absent. */
  readonly implementationSpecific?: (pattern: string, path: string) => boolean;
}

/**
 * The most specific host wins, then the longest path, then an exact path over a prefix, then the older Ingress, then the
 * earlier rule. What matches no path goes to a default backend, first of an Ingress that has a rule for the host.
 */
export function matchIngress(
  ingresses: readonly Ingress[],
  target: HttpTarget,
  options: MatchOptions = {},
): IngressMatch | undefined {
  const host = plainHost(target.host);
  const path = target.path.split("?", 1)[0] || "/";
  const ordered = [...ingresses].sort(olderFirst);
  let best: Candidate | undefined;
  for (const ingress of ordered) {
    for (const candidate of candidatesOf(ingress, host, path, options)) {
      if (best === undefined || isBetter(candidate, best)) best = candidate;
    }
  }
  return best?.match ?? defaultFor(ordered, host);
}

interface Candidate {
  readonly hostRank: number;
  readonly pathLength: number;
  readonly exact: boolean;
  readonly match: IngressMatch;
}

function candidatesOf(ingress: Ingress, host: string, path: string, options: MatchOptions): Candidate[] {
  return (ingress.spec.rules ?? []).flatMap((rule, ruleIndex) => {
    const hostRank = rankHost(rule, host);
    if (hostRank === 0) return [];
    return (rule.http?.paths ?? []).flatMap((entry, pathIndex) => {
      if (!matchesPath(entry, path, options)) return [];
      const match = { ingress, backend: entry.backend, rule: ruleIndex, path: pathIndex };
      return [{ hostRank, pathLength: pathLength(entry), exact: entry.pathType === "Exact", match }];
    });
  });
}

function isBetter(a: Candidate, b: Candidate): boolean {
  if (a.hostRank !== b.hostRank) return a.hostRank > b.hostRank;
  if (a.pathLength !== b.pathLength) return a.pathLength > b.pathLength;
  return a.exact && !b.exact;
}

/** 3 for the very host, 2 for a wildcard, 1 for a rule without host, 0 for another host. */
function rankHost(rule: IngressRule, host: string): number {
  const wanted = rule.host ?? "";
  if (wanted === "") return 1;
  if (wanted === host) return 3;
  if (!wanted.startsWith("*.")) return 0;
  // The star stands for exactly one label.
  const dot = host.indexOf(".");
  return dot > 0 && host.slice(dot) === wanted.slice(1) ? 2 : 0;
}

function matchesPath({ path = "", pathType }: HTTPIngressPath, asked: string, options: MatchOptions): boolean {
  switch (pathType) {
    case "Exact":
      return asked === path;
    case "Prefix":
      return hasElements(asked, path);
    default:
      return options.implementationSpecific?.(path, asked) ?? hasElements(asked, path);
  }
}

/** Whether the elements of `prefix` are the first ones of `path`: /foo/bar begins /foo/bar/baz, not /foo/barbaz. */
function hasElements(path: string, prefix: string): boolean {
  const bare = withoutSlash(prefix);
  return path.startsWith(bare) && (path.length === bare.length || path[bare.length] === "/");
}

function pathLength({ path = "", pathType }: HTTPIngressPath): number {
  return pathType === "Exact" ? path.length : withoutSlash(path).length;
}

const withoutSlash = (path: string): string => (path.endsWith("/") ? path.slice(0, -1) : path);

function defaultFor(ordered: readonly Ingress[], host: string): IngressMatch | undefined {
  const withDefault = ordered.filter(({ spec }) => spec.defaultBackend);
  const rank = ({ spec }: Ingress) => Math.max(0, ...(spec.rules ?? []).map((rule) => rankHost(rule, host)));
  const first = withDefault.reduce<Ingress | undefined>(
    (best, ingress) => (best === undefined || rank(ingress) > rank(best) ? ingress : best),
    undefined,
  );
  const backend = first?.spec.defaultBackend;
  return first === undefined || !backend ? undefined : { ingress: first, backend };
}

function plainHost(host: string): string {
  const name = host.toLowerCase();
  return name.startsWith("[") ? name : (name.split(":", 1)[0] ?? "");
}

function olderFirst(a: Ingress, b: Ingress): number {
  const age =
    (Date.parse(a.metadata.creationTimestamp ?? "") || 0) - (Date.parse(b.metadata.creationTimestamp ?? "") || 0);
  if (age !== 0) return age;
  const key = ({ metadata }: Ingress) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;
  return key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0;
}
