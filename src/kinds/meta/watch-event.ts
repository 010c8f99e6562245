// One event of a watch, and lists of anything.

import { opt, s } from "../../schema/builder.ts";
import { listMeta, objectMeta, typeMeta } from "./object-meta.ts";

export const watchEvent = s.struct("meta.v1.WatchEvent", "One change that a watch reports.", () => ({
  type: s.string(1, "ADDED, MODIFIED or DELETED; BOOKMARK, which only brings a newer version; or ERROR."),
  object: s.any(
    "rawExtension",
    2,
    "The object after the change, or its last state if deleted; with BOOKMARK only its version, with ERROR a Status.",
  ),
}));

export const partialObjectMetadata = s.struct(
  "meta.v1.PartialObjectMetadata",
  "The metadata of an object of any kind, without the rest of it.",
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: opt.of(objectMeta, 1, "The metadata of the object."),
  }),
);

export const partialObjectMetadataList = s.struct(
  "meta.v1.PartialObjectMetadataList",
  "The metadata of many objects.",
  () => ({
    typeMeta: s.inline(typeMeta),
    metadata: opt.of(listMeta, 1, "The version of the list, and how to read on when it comes in pages."),
    items: s.list(partialObjectMetadata, 2, "The metadata of each object."),
  }),
);
