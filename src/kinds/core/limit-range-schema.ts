// The schema of LimitRange.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type LimitRange = ObjectOf<typeof limitRangeSchema>;

export const limitRangeSchema = objectSchema(
  "core.v1.LimitRange",
  { doc: "Limits and defaults for the resources that objects of a namespace may use." },
  () => ({
    spec: s.of(limitRangeSpec, { proto: 2, optional: true, doc: "The limits." }),
  }),
);

export type LimitRangeSpec = ObjectOf<typeof limitRangeSpec>;

export const limitRangeSpec = s.struct(
  "core.v1.LimitRangeSpec",
  { doc: "Limits, each for one type of object." },
  () => ({
    limits: s.list(limitRangeItem, {
      proto: 1,
      listType: "atomic",
      doc: "The limits that are enforced, one entry for each type of object.",
    }),
  }),
);

export type LimitRangeItem = ObjectOf<typeof limitRangeItem>;

export const limitRangeItem = s.struct(
  "core.v1.LimitRangeItem",
  { doc: "Limits for one type of object, by resource." },
  () => ({
    type: s.string({
      alias: "LimitType",
      proto: 1,
      doc: "What is limited: `Container`, `Pod` (its containers together) or `PersistentVolumeClaim`.",
    }),
    max: s.map("quantity", {
      alias: "ResourceList",
      proto: 2,
      optional: true,
      doc: "The most that a single object may ask for, by resource.",
    }),
    min: s.map("quantity", {
      alias: "ResourceList",
      proto: 3,
      optional: true,
      doc: "The least that a single object must ask for, by resource.",
    }),
    default: s.map("quantity", {
      alias: "ResourceList",
      proto: 4,
      optional: true,
      doc: "Limits of containers that name none. Not set, `max`. Not for the type `Pod`.",
    }),
    defaultRequest: s.map("quantity", {
      alias: "ResourceList",
      proto: 5,
      optional: true,
      doc: "Requests of containers that name none. Not set, `default`, else `min`. Not for the type `Pod`.",
    }),
    maxLimitRequestRatio: s.map("quantity", {
      alias: "ResourceList",
      proto: 6,
      optional: true,
      doc: "How many times the request the limit may be, by resource; both must then be set and not zero.",
    }),
  }),
);
