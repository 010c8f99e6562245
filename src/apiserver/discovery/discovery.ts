// Discovery: which groups, versions and resources there are. Requirements: document 1, "Versioning".

import type { Response } from "../../http/message.ts";
import { notFoundPath } from "../../meta/status-error.ts";
import type { Names } from "../../meta/names.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ServedResource } from "../registry/served-resource.ts";
import type { AuthorizedRequest } from "../request.ts";

export interface DiscoveryDeps {
  readonly names: Names;
  readonly catalog: Catalog;
}

export function buildDiscovery(deps: DiscoveryDeps): (request: AuthorizedRequest) => Promise<Response> | undefined {
  return (request) => {
    const parts = request.path.split("/").filter((part) => part !== "");
    const document = discoveryDocument(deps, parts);
    if (document === undefined) return undefined;
    return Promise.resolve({ status: 200, headers: { "content-type": "application/json" }, body: Buffer.from(JSON.stringify(document)) });
  };
}

function discoveryDocument({ catalog, names }: DiscoveryDeps, parts: readonly string[]): unknown {
  const served = catalog.all();
  const [root, group, version] = parts;
  if (root === "api") {
    if (parts.length === 1) return { kind: "APIVersions", versions: ["v1"], serverAddressByClientCIDRs: [] };
    if (parts.length === 2) return resourceList(served, names, "", group!);
  }
  if (root === "apis") {
    if (parts.length === 1) return { kind: "APIGroupList", apiVersion: "v1", groups: groupNames(served).map((name) => apiGroup(served, name)) };
    if (parts.length === 2) {
      if (!groupNames(served).includes(group!)) throw notFoundPath();
      return { kind: "APIGroup", apiVersion: "v1", ...apiGroup(served, group!) };
    }
    if (parts.length === 3) return resourceList(served, names, group!, version!);
  }
  return undefined;
}

const groupNames = (served: readonly ServedResource[]): string[] => [...new Set(served.map(({ group }) => group))].filter((group) => group !== "");

function apiGroup(served: readonly ServedResource[], name: string) {
  const versions = [...new Set(served.filter(({ group }) => group === name).map(({ kind }) => kind.version))];
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] };
}

function resourceList(served: readonly ServedResource[], _names: Names, group: string, version: string) {
  const resources = served.filter((resource) => resource.group === group && resource.kind.version === version);
  if (resources.length === 0) throw notFoundPath();
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: group === "" ? version : `${group}/${version}`,
    resources: resources.map(({ kind }) => ({
      name: kind.resource,
      singularName: kind.singular,
      namespaced: kind.scope === "Namespaced",
      kind: kind.kind,
      verbs: [...kind.verbs].sort(),
      ...(kind.shortNames === undefined ? {} : { shortNames: kind.shortNames }),
      ...(kind.categories === undefined ? {} : { categories: kind.categories }),
    })),
  };
}
