// The schema of LimitRange.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type LimitRange = ObjectOf<typeof limitRangeSchema>;

export const limitRangeSchema = objectSchema(
  "core.v1.LimitRange",
  "Limits and defaults for the resources that objects of a namespace may use.",
  () => ({
    spec: opt.of(limitRangeSpec, 2, "The limits."),
  }),
);

const limitRangeSpec = s.struct("core.v1.LimitRangeSpec", "Limits, each for one type of object.", () => ({
  limits: s.atomic(limitRangeItem, 1, "The limits that are enforced, one entry for each type of object."),
}));

export type LimitRangeItem = ObjectOf<typeof limitRangeItem>;

const limitRangeItem = s.struct("core.v1.LimitRangeItem", "Limits for one type of object, by resource.", () => ({
  type: s.named(
    "LimitType",
    1,
    "What is limited: `Container`, `Pod` (its containers together) or `PersistentVolumeClaim`.",
  ),
  max: opt.map("quantity", 2, "The most that a single object may ask for, by resource.", { alias: "ResourceList" }),
  min: opt.map("quantity", 3, "The least that a single object must ask for, by resource.", { alias: "ResourceList" }),
  default: opt.map("quantity", 4, "Limits of containers that name none. Not set, `max`. Not for the type `Pod`.", {
    alias: "ResourceList",
  }),
  defaultRequest: opt.map(
    "quantity",
    5,
    "Requests of containers that name none. Not set, `default`, else `min`. Not for the type `Pod`.",
    { alias: "ResourceList" },
  ),
  maxLimitRequestRatio: opt.map(
    "quantity",
    6,
    "How many times the request the limit may be, by resource; both must then be set and not zero.",
    { alias: "ResourceList" },
  ),
}));
