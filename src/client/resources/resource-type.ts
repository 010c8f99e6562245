// Which resource a request is about: a kind of the house, a custom kind, or plain words.

import type { Describes } from "../../kinds/define-kind.ts";
import type { GroupKey, Names } from "../../meta/names.ts";
import { type ApiObject, apiVersionOf, type ObjectMeta } from "../../meta/object.ts";

/** What the client must know of a kind; every `Kind` of src/kinds is one. `T` is the type of its objects. */
export interface BuiltInKind<T> extends KindWords<T> {
  /** Without the suffix of the dialect. */
  readonly group: GroupKey;
}

/** A kind that a CustomResourceDefinition describes. */
export interface CustomKind<T> extends KindWords<T> {
  /** The whole name, the same in every dialect. */
  readonly groupName: string;
}

export type ApiKind<T = ApiObject> = BuiltInKind<T> | CustomKind<T>;

interface KindWords<T> {
  readonly version: string;
  readonly kind: string;
  /** Plural path word. */
  readonly resource: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly schema: Describes<T>;
}

/** The type of the objects of a kind. */
export type ObjectOfKind<K> = K extends { readonly schema: Describes<infer T> } ? T : never;

/** A resource by its whole names, as paths spell them. */
export interface ResourceType {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** Unknown for resources that were only named: their objects must say it themselves. */
  readonly kind?: string | undefined;
  /** Objects are asked for without anything but their metadata. A server that cannot do so answers with whole ones. */
  readonly metadataOnly?: boolean | undefined;
}

/** An object as the server answers it: what every stored object has is there. */
export type Stored<T> = T & { metadata: StoredMeta };

interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
  creationTimestamp: string;
}

export function resourceTypeOf(kind: ApiKind<unknown>, names: Names): ResourceType {
  const { version, resource, scope } = kind;
  return { group: groupNameOf(kind, names), version, resource, namespaced: scope === "Namespaced", kind: kind.kind };
}

/** The whole name of the group of a kind. */
export function groupNameOf(kind: ApiKind<unknown>, names: Names): string {
  return "groupName" in kind ? kind.groupName : names.group(kind.group);
}

/** The media types to ask for, where whole objects in JSON are not what is wanted. */
export function acceptFor({ metadataOnly }: ResourceType, names: Names, answer: "object" | "list"): string | undefined {
  if (metadataOnly !== true) return undefined;
  const as = answer === "list" ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  return `application/json;as=${as};g=${names.group("meta")};v=v1,application/json`;
}

/** What objects of this resource say in apiVersion. */
export const apiVersionOfType = ({ group, version }: ResourceType): string => apiVersionOf(group, version);
