// One event of a watch, and lists of anything.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { listMeta, objectMeta, typeMeta } from "./object-meta.ts";

export type WatchEvent = ObjectOf<typeof watchEvent>;

export const watchEvent = s.struct("meta.v1.WatchEvent", { doc: "One change that a watch reports." }, () => ({
  type: s.string({
    proto: 1,
    doc: "ADDED, MODIFIED or DELETED; BOOKMARK, which only brings a newer version; or ERROR.",
  }),
  object: s.any("rawExtension", {
    proto: 2,
    doc: "The object after the change, or its last state if deleted; with BOOKMARK only its version, with ERROR a Status.",
  }),
}));

export type List = ObjectOf<typeof listSchema>;

export const listSchema = s.struct("meta.v1.List", { doc: "Objects of any kinds in one list." }, () => ({
  typeMeta: s.inline(typeMeta),
  metadata: s.of(listMeta, {
    proto: 1,
    optional: true,
    doc: "The version of the list, and how to read on when it comes in pages.",
  }),
  items: s.list(s.anyValue("rawExtension"), { proto: 2, doc: "The objects, each with its own kind and apiVersion." }),
}));

export type PartialObjectMetadata = ObjectOf<typeof partialObjectMetadata>;

export const partialObjectMetadata = s.struct(
  "meta.v1.PartialObjectMetadata",
  { doc: "The metadata of an object of any kind, without the rest of it." },
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: s.of(objectMeta, { proto: 1, optional: true, doc: "The metadata of the object." }),
  }),
);

export type PartialObjectMetadataList = ObjectOf<typeof partialObjectMetadataList>;

export const partialObjectMetadataList = s.struct(
  "meta.v1.PartialObjectMetadataList",
  { doc: "The metadata of many objects." },
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: s.of(listMeta, {
      proto: 1,
      optional: true,
      doc: "The version of the list, and how to read on when it comes in pages.",
    }),
    items: s.list(partialObjectMetadata, { proto: 2, doc: "The metadata of each object." }),
  }),
);
