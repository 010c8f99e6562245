// Objects reduced to their metadata. Requirements: document 1, "Table representation".

import type { Names } from "../meta/names.ts";
import { type ApiObject, apiVersionOf, type ObjectMeta } from "../meta/object.ts";
import type { ListMeta } from "./protobuf-stream.ts";

/** The versions of the representations; v1beta1 differs in its name only. */
export type RepresentationVersion = "v1" | "v1beta1";

export interface PartialObjectMetadata {
  readonly kind: "PartialObjectMetadata";
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

interface PartialObjectMetadataList {
  readonly kind: "PartialObjectMetadataList";
  readonly apiVersion: string;
  readonly metadata: ListMeta;
  readonly items: readonly PartialObjectMetadata[];
}

export function toPartialObjectMetadata(
  object: Pick<ApiObject, "metadata">,
  names: Names,
  version: RepresentationVersion = "v1",
): PartialObjectMetadata {
  return { kind: "PartialObjectMetadata", apiVersion: metaVersion(names, version), metadata: object.metadata };
}

export function toPartialObjectMetadataList(
  objects: readonly Pick<ApiObject, "metadata">[],
  metadata: ListMeta,
  names: Names,
  version: RepresentationVersion = "v1",
): PartialObjectMetadataList {
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: metaVersion(names, version),
    metadata,
    items: objects.map((object) => toPartialObjectMetadata(object, names, version)),
  };
}

/** The group and version that Table and PartialObjectMetadata are of. */
export function metaVersion(names: Names, version: RepresentationVersion): string {
  return apiVersionOf(names.group("meta"), version);
}
