// Aggregated discovery: everything about all groups in one document. Requirements: document 1, "Versioning".

import { Pace, type Steps } from "../../base/steps.ts";
import type { Subresource } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject, GroupVersionKind } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { bodyOf, listCoreVersions, listGroups } from "./api-resources.ts";

/** The groups below /apis, or with `core` the one below /api. */
export function* groupDiscoveryList(
  names: Names,
  served: Iterable<ServedResource>,
  core: boolean,
  version: string,
): Steps<Record<string, unknown>> {
  const known = yield* byVersion(names, served);
  const places = Array.from(known.keys(), (place) => place.split("/") as [group: string, version: string]);
  const groups = core
    ? [{ name: "", versions: listCoreVersions(places) }]
    : listGroups(places).map(({ name, versions }) => ({ name, versions: versions.map((entry) => entry.version) }));
  return {
    kind: "APIGroupDiscoveryList",
    apiVersion: `${names.group("apidiscovery")}/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: name === "" ? {} : { name },
      versions: versions.map((word) => ({
        version: word,
        resources: known.get(`${name}/${word}`)!.sort((a, b) => (a.resource < b.resource ? -1 : 1)),
        freshness: "Current",
      })),
    })),
  };
}

/** So many are described in one step: definitions may have made thousands. */
const RESOURCES_PER_STEP = 100;

/** What is said of the resources of `group/version`. */
function* byVersion(
  names: Names,
  served: Iterable<ServedResource>,
): Steps<Map<string, ReturnType<typeof resourceDiscovery>[]>> {
  const found = new Map<string, ReturnType<typeof resourceDiscovery>[]>();
  const pace = new Pace(RESOURCES_PER_STEP);
  for (const resource of served) {
    if (pace.due()) yield;
    const place = `${resource.group}/${resource.kind.version}`;
    const known = found.get(place);
    if (known === undefined) found.set(place, [resourceDiscovery(names, resource)]);
    else known.push(resourceDiscovery(names, resource));
  }
  return found;
}

function resourceDiscovery(names: Names, resource: ServedResource) {
  const { kind, group } = resource;
  const parts = Object.entries(kind.subresources ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    resource: kind.resource,
    responseKind: responseKind(resource, { group, version: kind.version, kind: kind.kind }),
    scope: kind.scope,
    singularResource: kind.singular,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames === undefined || kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories === undefined || kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(parts.length === 0
      ? {}
      : { subresources: parts.map(([name, part]) => subresourceDiscovery(names, resource, name, part)) }),
  };
}

function subresourceDiscovery(names: Names, resource: ServedResource, name: string, part: Subresource<ApiObject>) {
  const body = responseKind(resource, bodyOf(names, resource, part));
  return { subresource: name, responseKind: body, verbs: [...part.verbs].sort() };
}

/** As upstream: group and version of a built-in resource go without saying where the kind has the same. */
function responseKind({ group, kind, custom }: ServedResource, body: GroupVersionKind): GroupVersionKind {
  const same = body.group === group && body.version === kind.version;
  return same && !custom ? { group: "", version: "", kind: body.kind } : body;
}
