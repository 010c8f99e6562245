// What the servers behind add to discovery: their groups and versions, and the resources that they have told of.

import { isObject, type JsonObject } from "../../../base/json.ts";
import type { RemoteApi } from "./remote-api.ts";

export interface RemoteGroup {
  readonly name: string;
  /** The best first. */
  readonly versions: readonly RemoteVersion[];
}

export interface RemoteVersion {
  readonly version: string;
  /** APIResourceDiscovery, made from the server's own list; undefined when that could not be read. */
  readonly resources: readonly JsonObject[] | undefined;
}

export interface RemoteSource {
  all(): Iterable<RemoteApi>;
  resourcesOf(api: RemoteApi): readonly JsonObject[] | undefined;
}

export function remoteGroups(source: RemoteSource): RemoteGroup[] {
  const groups = new Map<string, RemoteApi[]>();
  for (const api of source.all()) groups.set(api.group, [...(groups.get(api.group) ?? []), api]);
  return [...groups]
    .sort(([a, ofA], [b, ofB]) => groupPriority(ofB) - groupPriority(ofA) || (a < b ? -1 : 1))
    .map(([name, apis]) => ({
      name,
      versions: apis
        .sort((a, b) => b.priorities[1] - a.priorities[1] || (a.version < b.version ? -1 : 1))
        .map((api) => {
          const listed = source.resourcesOf(api);
          return { version: api.version, resources: listed && discoveryOf(api, listed) };
        }),
    }));
}

const groupPriority = (apis: readonly RemoteApi[]): number => Math.max(...apis.map(({ priorities }) => priorities[0]));

/** An APIResourceList names sub-resources beside resources; aggregated discovery puts them below. */
function discoveryOf({ group, version }: RemoteApi, listed: readonly JsonObject[]): JsonObject[] {
  const found = new Map<string, JsonObject & { subresources?: JsonObject[] }>();
  const kindOf = (one: JsonObject): JsonObject => ({
    group: text(one["group"]) || group,
    version: text(one["version"]) || version,
    kind: text(one["kind"]),
  });
  for (const one of listed) {
    const name = text(one["name"]);
    if (name === "" || name.includes("/")) continue;
    found.set(name, {
      resource: name,
      responseKind: kindOf(one),
      scope: one["namespaced"] === true ? "Namespaced" : "Cluster",
      singularResource: text(one["singularName"]),
      verbs: Array.isArray(one["verbs"]) ? one["verbs"] : [],
      ...(Array.isArray(one["shortNames"]) ? { shortNames: one["shortNames"] } : {}),
      ...(Array.isArray(one["categories"]) ? { categories: one["categories"] } : {}),
    });
  }
  for (const one of listed.filter(isObject)) {
    const [parent = "", subresource = ""] = text(one["name"]).split("/", 2);
    const owner = found.get(parent);
    if (subresource === "" || owner === undefined) continue;
    owner.subresources = [
      ...(owner.subresources ?? []),
      { subresource, responseKind: kindOf(one), verbs: Array.isArray(one["verbs"]) ? one["verbs"] : [] },
    ];
  }
  return [...found.values()];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
