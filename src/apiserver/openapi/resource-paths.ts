// What all operations of a resource share: its names, its types, its paths.

import type { KindRegistry } from "../../kinds/kind-registry.ts";
import type { GroupVersionKind } from "../../meta/object.ts";
import type { ServedResource } from "../../registry/served-resource.ts";
import type { mediaTypesFor } from "./media-types.ts";
import type { PathParameter } from "./operations.ts";
import type { TypeNames } from "./published-types.ts";

export interface OperationDeps {
  readonly kinds: KindRegistry;
  /** Whether CBOR is served. */
  readonly cbor: boolean;
}

export interface ResourceOperations {
  readonly deps: OperationDeps;
  readonly resource: ServedResource;
  readonly types: TypeNames;
  /** /apis/apps/v1 */
  readonly root: string;
  /** AppsV1 */
  readonly word: string;
  /** Namespaced, or nothing. */
  readonly scope: string;
  readonly tag: string;
  readonly about: GroupVersionKind;
  readonly media: ReturnType<typeof mediaTypesFor>;
}

export const NAMESPACE: PathParameter = {
  name: "namespace",
  description: "The namespace of the objects.",
};

export function itemParameters({ resource }: ResourceOperations): PathParameter[] {
  const { kind } = resource;
  const name: PathParameter = { name: "name", description: `The name of the ${kind.kind}.` };
  return kind.scope === "Namespaced" ? [NAMESPACE, name] : [name];
}

export function collectionPathOf({ root, resource }: ResourceOperations): string {
  const { scope, resource: plural } = resource.kind;
  return scope === "Namespaced" ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
}
