// What a request to the agent asks of the API server's authorization: a verb on a sub-resource of this node. Pure.

export interface AccessAttributes {
  readonly verb: string;
  /** Below nodes; the first that is allowed is enough. */
  readonly subresources: readonly string[];
}

const VERBS: ReadonlyMap<string, string> = new Map([
  ["POST", "create"],
  ["GET", "get"],
  ["HEAD", "get"],
  ["PUT", "update"],
  ["PATCH", "patch"],
  ["DELETE", "delete"],
]);

/** Paths that have a sub-resource of their own. */
const OWN: readonly (readonly [path: string, subresource: string])[] = [
  ["/stats", "stats"],
  ["/metrics", "metrics"],
  ["/logs", "log"],
  ["/spec", "spec"],
  ["/checkpoint", "checkpoint"],
];

/** With the gate KubeletFineGrainedAuthz; `proxy` allows them too. */
const FINE_GRAINED: readonly (readonly [path: string, subresource: string])[] = [
  ["/pods", "pods"],
  ["/runningpods", "pods"],
  ["/healthz", "healthz"],
  ["/configz", "configz"],
];

/** `sent` is the path as it was sent: what serves it reads it decoded, too. */
export function accessAttributes(method: string, sent: string, fineGrained: boolean): AccessAttributes {
  const verb = VERBS.get(method) ?? "";
  const path = decoded(sent);
  const isBelow = ([base]: readonly [string, string]) => path === base || path.startsWith(`${base}/`);
  const own = OWN.find(isBelow);
  if (own !== undefined) return { verb, subresources: [own[1]] };
  const fine = fineGrained ? FINE_GRAINED.find(isBelow) : undefined;
  return { verb, subresources: fine === undefined ? ["proxy"] : [fine[1], "proxy"] };
}

/** One that cannot be decoded is served by nobody. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
