// One event of a watch, and lists of anything.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { listMeta, objectMeta, typeMeta } from "./object-meta.ts";

export type WatchEvent = ObjectOf<typeof watchEvent>;

export const watchEvent = s.struct("meta.v1.WatchEvent", () => ({
  type: s.string({ proto: 1 }),
  object: s.any("rawExtension", { proto: 2 }),
}));

export type List = ObjectOf<typeof listSchema>;

export const listSchema = s.struct("meta.v1.List", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(listMeta, { proto: 1, optional: true }),
  items: s.list(s.anyValue("rawExtension"), { proto: 2 }),
}));

export type PartialObjectMetadata = ObjectOf<typeof partialObjectMetadata>;

export const partialObjectMetadata = s.struct("meta.v1.PartialObjectMetadata", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(objectMeta, { proto: 1, optional: true }),
}));

export type PartialObjectMetadataList = ObjectOf<typeof partialObjectMetadataList>;

export const partialObjectMetadataList = s.struct("meta.v1.PartialObjectMetadataList", () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(listMeta, { proto: 1, optional: true }),
  items: s.list(partialObjectMetadata, { proto: 2 }),
}));
