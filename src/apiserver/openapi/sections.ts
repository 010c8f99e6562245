// Documents in sections, one per group and version: version 3 serves each as a document, version 2 all in one.

import type { JsonObject } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { apiGroup } from "../../kinds/meta/discovery.ts";
import type { GroupVersionKind } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { customDefinitions } from "../../schema/openapi-custom.ts";
import { definitionsForV2 } from "../../schema/openapi-v2.ts";
import { definitionsForV3 } from "../../schema/openapi-v3.ts";
import type { StructSchema } from "../../schema/schema.ts";
import type { PathEntry } from "./operations.ts";
import { kindsByStruct, structsOf } from "./published-types.ts";
import { resourcePaths } from "./resource-operations.ts";
import type { OperationDeps } from "./resource-paths.ts";
import { groupPath, issuerPaths, rootPaths, versionPath } from "./root-operations.ts";
import { v2PathItem } from "./v2-document.ts";
import { v3PathItem } from "./v3-document.ts";

export type OpenApiVersion = "v2" | "v3";

export interface Section {
  /** api/v1, apis/apps/v1, apis/apps, version. */
  readonly name: string;
  /** What the section is made from: it need not be made again while these are the same. */
  readonly resources: readonly ServedResource[];
  /** In pieces, each the work of a millisecond. */
  paths(version: OpenApiVersion): Iterable<JsonObject>;
  /** In pieces too, which come after several turns; a type may stand in several of them. */
  definitions(version: OpenApiVersion): Iterable<Record<string, JsonObject> | undefined>;
}

interface SectionDeps extends OperationDeps {
  /** Kinds without a resource of their own: the bodies of sub-resources. */
  readonly bodies: readonly Kind[];
  /** Whether the paths of the service account issuer are served. */
  readonly issuer: () => boolean;
}

/** Makes sections from what is served now, in the order of their names. */
export function sectionMaker(deps: SectionDeps): (served: readonly ServedResource[]) => Section[] {
  const { names } = deps.kinds;
  let known: ReturnType<typeof kindsByStruct> | undefined;
  return (served) => {
    // At the first question: many servers are never asked for documents.
    known ??= kindsByStruct(deps.kinds, deps.bodies);
    const kindsOf = known;
    const sections: Section[] = [];
    for (const [name, { entry, struct }] of [...rootPaths(names), ...(deps.issuer() ? issuerPaths() : [])]) {
      sections.push(section(deps, kindsOf, name, [entry], () => (struct === undefined ? [] : [struct]), []));
    }
    const groups = new Set<string>();
    for (const resources of byVersion(served)) {
      const { group, kind, custom } = resources[0]!;
      const name = group === "" ? `api/${kind.version}` : `apis/${group}/${kind.version}`;
      const entries = [versionPath(names, group, kind.version)];
      sections.push(section(deps, kindsOf, name, entries, () => structsOf(deps.kinds, resources), resources));
      if (group !== "" && !custom) groups.add(group);
    }
    for (const group of groups) {
      const { entry } = groupPath(names, group);
      sections.push(section(deps, kindsOf, `apis/${group}`, [entry], () => [apiGroup], []));
    }
    return sections.sort((a, b) => (a.name < b.name ? -1 : 1));
  };
}

function section(
  deps: SectionDeps,
  kindsOf: (structName: string) => readonly GroupVersionKind[],
  name: string,
  entries: readonly PathEntry[],
  structs: () => Iterable<StructSchema>,
  resources: readonly ServedResource[],
): Section {
  const { names } = deps.kinds;
  return {
    name,
    resources,
    *paths(version) {
      const item = version === "v2" ? v2PathItem : v3PathItem;
      const shaped = (all: readonly PathEntry[]) => Object.fromEntries(all.map((entry) => [entry.path, item(entry)]));
      yield shaped(entries);
      for (const resource of resources) yield shaped(resourcePaths(deps, resource));
    },
    *definitions(version) {
      const define = version === "v2" ? definitionsForV2 : definitionsForV3;
      yield yield* define(structs(), { names, kindsOf });
      for (const resource of resources) if (resource.custom) yield yield* customDefinitionsOf(deps, resource, version);
    },
  };
}

function* customDefinitionsOf(
  { kinds }: SectionDeps,
  resource: ServedResource,
  openApi: OpenApiVersion,
): Steps<Record<string, JsonObject>> {
  const { group, kind } = resource;
  const { props, selectableFields } = resource.published === undefined ? NOT_PUBLISHED : yield* resource.published();
  return yield* customDefinitions(props, {
    names: kinds.names,
    group,
    version: kind.version,
    kind: kind.kind,
    listKind: kind.listKind,
    openApi,
    selectableFields,
  });
}

const NOT_PUBLISHED = { props: undefined, selectableFields: [] };

function byVersion(served: readonly ServedResource[]): ServedResource[][] {
  const found = new Map<string, ServedResource[]>();
  for (const resource of served) {
    const known = found.get(resource.apiVersion);
    if (known === undefined) found.set(resource.apiVersion, [resource]);
    else known.push(resource);
  }
  return [...found.values()].map((resources) => resources.sort((a, b) => (a.kind.resource < b.kind.resource ? -1 : 1)));
}
