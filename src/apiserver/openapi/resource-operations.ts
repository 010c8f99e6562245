// The operations of one resource: its collection, its items, its sub-resources, the old paths of watches.
// Requirements: document 1, "Path shapes", "Verbs", "Operations by HTTP request".

import type { Subresource, Verb } from "../../kinds/define-kind.ts";
import type { ApiObject } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import { bodyOf } from "../discovery/api-resources.ts";
import { connectPaths } from "./connect-operations.ts";
import { mediaTypesFor } from "./media-types.ts";
import { capitalized, groupKeyOf, groupVersionWord, tagOf } from "./operation-names.ts";
import { answers, type Operation, type PathEntry } from "./operations.ts";
import {
  DELETE_COLLECTION_QUERY,
  DELETE_QUERY,
  isConnect,
  LIST_QUERY,
  PATCH_QUERY,
  WRITE_QUERY,
} from "./parameters.ts";
import { typeNames } from "./published-types.ts";
import {
  collectionPathOf,
  itemParameters,
  NAMESPACE,
  type OperationDeps,
  type ResourceOperations,
} from "./resource-paths.ts";

export function resourcePaths(deps: OperationDeps, resource: ServedResource): PathEntry[] {
  const { kind, group } = resource;
  const key = groupKeyOf(deps.kinds.names, group);
  const shared: ResourceOperations = {
    deps,
    resource,
    types: typeNames(deps.kinds, resource),
    root: group === "" ? `/api/${kind.version}` : `/apis/${group}/${kind.version}`,
    word: groupVersionWord(key, kind.version),
    scope: kind.scope === "Namespaced" ? "Namespaced" : "",
    tag: tagOf(key, kind.version),
    about: { group, kind: kind.kind, version: kind.version },
    media: mediaTypesFor(deps.kinds.names, resource, deps.cbor),
  };
  return [
    ...acrossNamespaces(shared),
    ...collectionPath(shared),
    ...itemPath(shared),
    ...Object.entries(kind.subresources ?? {}).flatMap(([name, part]) => subresourcePaths(shared, name, part)),
    ...watchPaths(shared),
  ].map(withQueryOfPath);
}

/** What all operations of a path take stands with the path: all that the only one takes. */
function withQueryOfPath(entry: PathEntry): PathEntry {
  const [only, ...others] = entry.operations;
  if (only?.query === undefined || others.length > 0) return entry;
  const { query, ...operation } = only;
  return { ...entry, query: [...new Set([...entry.query, ...query])].sort(), operations: [operation] };
}

function allows({ resource }: ResourceOperations, verb: Verb): boolean {
  return resource.kind.verbs.includes(verb);
}

function operation(
  shared: ResourceOperations,
  rest: Omit<Operation, "tag" | "about" | "produces"> & Partial<Operation>,
): Operation {
  return { tag: shared.tag, about: shared.about, produces: shared.media.objects, ...rest };
}

function listOperation(shared: ResourceOperations, id: string): Operation {
  return operation(shared, {
    method: "get",
    id,
    action: "list",
    description: `list or watch objects of kind ${shared.about.kind}`,
    query: LIST_QUERY,
    answers: answers(shared.types.list, 200),
    produces: shared.media.lists,
  });
}

function acrossNamespaces(shared: ResourceOperations): PathEntry[] {
  const { root, resource, word, about } = shared;
  if (shared.scope === "" || !allows(shared, "list")) return [];
  const list = listOperation(shared, `list${word}${about.kind}ForAllNamespaces`);
  return [{ path: `${root}/${resource.kind.resource}`, pathParameters: [], query: ["pretty"], operations: [list] }];
}

function collectionPath(shared: ResourceOperations): PathEntry[] {
  const { word, scope, types, media } = shared;
  const { kind } = shared.about;
  const operations: Operation[] = [];
  if (allows(shared, "list")) operations.push(listOperation(shared, `list${word}${scope}${kind}`));
  if (allows(shared, "create")) {
    operations.push(
      operation(shared, {
        method: "post",
        id: `create${word}${scope}${kind}`,
        action: "post",
        description: `create ${withArticle(kind)}`,
        query: WRITE_QUERY,
        body: { type: types.item, mediaTypes: media.bodies, required: true },
        answers: answers(types.item, 200, 201, 202),
      }),
    );
  }
  if (allows(shared, "deletecollection")) {
    operations.push(
      operation(shared, {
        method: "delete",
        id: `delete${word}Collection${scope}${kind}`,
        action: "deletecollection",
        description: `delete collection of ${kind}`,
        query: DELETE_COLLECTION_QUERY,
        body: { type: types.deleteOptions, mediaTypes: media.bodies, required: false },
        answers: answers(types.status, 200),
      }),
    );
  }
  if (operations.length === 0) return [];
  const pathParameters = scope === "" ? [] : [NAMESPACE];
  return [{ path: collectionPathOf(shared), pathParameters, query: ["pretty"], operations }];
}

function itemPath(shared: ResourceOperations): PathEntry[] {
  const { resource, word, scope, types, media } = shared;
  const operations = itemOperations(shared, resource.kind.verbs, types.item, "");
  if (allows(shared, "delete")) {
    operations.push(
      operation(shared, {
        method: "delete",
        id: `delete${word}${scope}${shared.about.kind}`,
        action: "delete",
        description: `delete ${withArticle(shared.about.kind)}`,
        query: DELETE_QUERY,
        body: { type: types.deleteOptions, mediaTypes: media.bodies, required: false },
        answers: answers(resource.kind.returnDeletedObject === true ? types.item : types.status, 200, 202),
      }),
    );
  }
  if (operations.length === 0) return [];
  return [itemEntry(shared, "", operations)];
}

function itemEntry(shared: ResourceOperations, suffix: string, operations: readonly Operation[]): PathEntry {
  return {
    path: `${collectionPathOf(shared)}/{name}${suffix}`,
    pathParameters: itemParameters(shared),
    query: ["pretty"],
    operations,
  };
}

/** Reads and writes of one object, or of a part of it. */
function itemOperations(shared: ResourceOperations, verbs: readonly string[], type: string, part: string): Operation[] {
  const { word, scope, types, media, resource } = shared;
  const name = `${word}${scope}${resource.kind.kind}${capitalized(part)}`;
  const what = `${part === "" ? "" : `${part} of `}the specified ${resource.kind.kind}`;
  const operations: Operation[] = [];
  if (verbs.includes("get")) {
    operations.push(
      operation(shared, {
        method: "get",
        id: `read${name}`,
        action: "get",
        description: `read ${what}`,
        answers: answers(type, 200),
      }),
    );
  }
  if (verbs.includes("update")) {
    operations.push(
      operation(shared, {
        method: "put",
        id: `replace${name}`,
        action: "put",
        description: `replace ${what}`,
        query: WRITE_QUERY,
        body: { type, mediaTypes: media.bodies, required: true },
        answers: answers(type, 200, 201),
      }),
    );
  }
  if (verbs.includes("patch")) {
    operations.push(
      operation(shared, {
        method: "patch",
        id: `patch${name}`,
        action: "patch",
        description: `partially update ${what}`,
        query: PATCH_QUERY,
        body: { type: types.patch, mediaTypes: media.patches, required: true },
        answers: answers(type, 200, 201),
      }),
    );
  }
  return operations;
}

function subresourcePaths(shared: ResourceOperations, name: string, part: Subresource<ApiObject>): PathEntry[] {
  if (isConnect(name, part)) return connectPaths(shared, name, part.verbs);
  const { kinds } = shared.deps;
  const about = bodyOf(kinds.names, shared.resource, part);
  const body = kinds.byKind(about.group, about.version, about.kind);
  const type = body === undefined ? shared.types.item : shared.types.of(body.schema);
  const own: ResourceOperations = { ...shared, about };
  const operations = itemOperations(own, part.verbs, type, name);
  if ((part.verbs as readonly string[]).includes("create")) {
    operations.push(
      operation(own, {
        method: "post",
        id: `create${shared.word}${shared.scope}${shared.resource.kind.kind}${capitalized(name)}`,
        action: "post",
        description: `create ${name} of ${withArticle(shared.resource.kind.kind)}`,
        query: WRITE_QUERY,
        body: { type, mediaTypes: shared.media.bodies, required: true },
        answers: answers(type, 200, 201, 202),
      }),
    );
  }
  return operations.length === 0 ? [] : [itemEntry(own, `/${name}`, operations)];
}

/** Words for plurals have none. */
function withArticle(kind: string): string {
  if (/[^s]s$/.test(kind)) return kind;
  return /^[aeiou]/i.test(kind) ? `an ${kind}` : `a ${kind}`;
}

/** The paths with /watch/ are older than the parameter, and still answered. */
function watchPaths(shared: ResourceOperations): PathEntry[] {
  const { resource, root, word, scope, about, types, media } = shared;
  if (resource.custom || !allows(shared, "watch")) return [];
  const watching = (id: string, action: string, what: string) =>
    operation(shared, {
      method: "get",
      id,
      action,
      description: `watch ${what}. deprecated: use the parameter 'watch' with a list operation instead.`,
      answers: answers(types.watchEvent, 200),
      produces: media.lists,
    });
  const query = [...LIST_QUERY, "pretty"].sort();
  const below = (path: string) => path.replace(root, `${root}/watch`);
  const collection = collectionPathOf(shared);
  const kindWords = `individual changes to a list of ${about.kind}`;
  return [
    ...(scope === ""
      ? []
      : [
          {
            path: `${root}/watch/${resource.kind.resource}`,
            pathParameters: [],
            query,
            operations: [watching(`watch${word}${about.kind}ListForAllNamespaces`, "watchlist", kindWords)],
          },
        ]),
    {
      path: below(collection),
      pathParameters: scope === "" ? [] : [NAMESPACE],
      query,
      operations: [watching(`watch${word}${scope}${about.kind}List`, "watchlist", kindWords)],
    },
    {
      path: below(`${collection}/{name}`),
      pathParameters: itemParameters(shared),
      query,
      operations: [
        watching(`watch${word}${scope}${about.kind}`, "watch", `changes to an object of kind ${about.kind}`),
      ],
    },
  ];
}
