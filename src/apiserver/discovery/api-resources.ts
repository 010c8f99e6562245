// What is served, as discovery lists it: groups, versions, resources with their sub-resources.

import { createHash } from "node:crypto";
import type { Subresource } from "../../kinds/define-kind.ts";
import { compareVersions } from "../../kinds/kind-registry.ts";
import type { Names } from "../../meta/names.ts";
import type { ApiObject, GroupVersionKind } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";

interface ListedResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

type GroupVersion = readonly [group: string, version: string];

export interface ListedGroup {
  readonly name: string;
  readonly versions: readonly { readonly groupVersion: string; readonly version: string }[];
  readonly preferredVersion: { readonly groupVersion: string; readonly version: string };
}

/** Every named group in the order of the catalog, its preferred version first; the core group is not among them. */
export function listGroups(served: Iterable<GroupVersion>): ListedGroup[] {
  const versions = new Map<string, Set<string>>();
  for (const [group, version] of served) {
    if (group === "") continue;
    const known = versions.get(group);
    if (known === undefined) versions.set(group, new Set([version]));
    else known.add(version);
  }
  return [...versions].map(([name, words]) => {
    const entries = [...words]
      .sort(compareVersions)
      .map((version) => ({ groupVersion: `${name}/${version}`, version }));
    return { name, versions: entries, preferredVersion: entries[0]! };
  });
}

export function listCoreVersions(served: Iterable<GroupVersion>): string[] {
  const versions = new Set<string>();
  for (const [group, version] of served) if (group === "") versions.add(version);
  return [...versions];
}

/** Those of one group and version, each followed by its sub-resources, by name. */
export function listResources(names: Names, served: Iterable<ServedResource>): ListedResource[] {
  return [...served]
    .flatMap((resource) => [listed(names, resource), ...subresources(names, resource)])
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function listed(names: Names, resource: ServedResource): ListedResource {
  const { kind } = resource;
  return {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.scope === "Namespaced",
    kind: kind.kind,
    verbs: [...kind.verbs].sort(),
    ...(kind.shortNames === undefined || kind.shortNames.length === 0 ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories === undefined || kind.categories.length === 0 ? {} : { categories: kind.categories }),
    ...(resource.store === undefined ? {} : { storageVersionHash: storageVersionHash(names, resource) }),
  };
}

function subresources(names: Names, resource: ServedResource): ListedResource[] {
  const { kind, group } = resource;
  return Object.entries(kind.subresources ?? {}).map(([name, part]) => {
    const body = bodyOf(names, resource, part);
    const foreign = body.group !== group || body.version !== kind.version;
    return {
      name: `${kind.resource}/${name}`,
      singularName: "",
      namespaced: kind.scope === "Namespaced",
      ...(foreign ? { group: body.group, version: body.version } : {}),
      kind: body.kind,
      verbs: [...part.verbs].sort(),
    };
  });
}

/** The kind of a sub-resource's body. */
export function bodyOf(
  names: Names,
  { kind, group }: Pick<ServedResource, "kind" | "group">,
  part: Subresource<ApiObject>,
): GroupVersionKind {
  if (part.type === "scale") return { group: "autoscaling", version: "v1", kind: "Scale" };
  const body = part.type === "special" ? part.body : undefined;
  return body === undefined
    ? { group, version: kind.version, kind: kind.kind }
    : { group: names.group(body.group), version: body.version, kind: body.kind };
}

/** Tells clients whether two versions are stored in one form. */
function storageVersionHash(names: Names, { kind, group, storedVersion }: ServedResource): string {
  const stored = kind.storedAs;
  const text =
    stored === undefined
      ? `${group}/${storedVersion ?? kind.version}/${kind.kind}`
      : `${names.group(stored.group)}/${stored.version}/${stored.kind}`;
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}
