// The schema of LimitRange.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type LimitRange = ObjectOf<typeof limitRangeSchema>;

export const limitRangeSchema = objectSchema(
  "core.v1.LimitRange",
  { doc: "Limits and defaults for the resources that objects of a namespace may use." },
  () => ({
    spec: s.of(limitRangeSpec, { proto: 2, optional: true }),
  }),
);

export type LimitRangeSpec = ObjectOf<typeof limitRangeSpec>;

export const limitRangeSpec = s.struct("core.v1.LimitRangeSpec", () => ({
  limits: s.list(limitRangeItem, { proto: 1, listType: "atomic" }),
}));

export type LimitRangeItem = ObjectOf<typeof limitRangeItem>;

export const limitRangeItem = s.struct("core.v1.LimitRangeItem", () => ({
  type: s.string({ alias: "LimitType", proto: 1 }),
  max: s.map("quantity", { alias: "ResourceList", proto: 2, optional: true }),
  min: s.map("quantity", { alias: "ResourceList", proto: 3, optional: true }),
  default: s.map("quantity", { alias: "ResourceList", proto: 4, optional: true }),
  defaultRequest: s.map("quantity", { alias: "ResourceList", proto: 5, optional: true }),
  maxLimitRequestRatio: s.map("quantity", { alias: "ResourceList", proto: 6, optional: true }),
}));
