// Selectors over labels.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type LabelSelector = ObjectOf<typeof labelSelector>;

export const labelSelector = s.struct(
  "meta.v1.LabelSelector",
  { doc: "Selects objects by their labels; all parts must match.", mapType: "atomic" },
  () => ({
    matchLabels: s.map("string", { proto: 1, optional: true }),
    matchExpressions: s.list(labelSelectorRequirement, { proto: 2, optional: true, listType: "atomic" }),
  }),
);

export type LabelSelectorRequirement = ObjectOf<typeof labelSelectorRequirement>;

export const labelSelectorRequirement = s.struct("meta.v1.LabelSelectorRequirement", () => ({
  key: s.string({ proto: 1 }),
  operator: s.string({ alias: "LabelSelectorOperator", proto: 2 }),
  values: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
}));

export type FieldSelectorRequirement = ObjectOf<typeof fieldSelectorRequirement>;

export const fieldSelectorRequirement = s.struct("meta.v1.FieldSelectorRequirement", () => ({
  key: s.string({ proto: 1 }),
  operator: s.string({ alias: "FieldSelectorOperator", proto: 2 }),
  values: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
}));
