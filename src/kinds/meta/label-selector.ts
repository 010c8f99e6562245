// Selectors over labels.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type LabelSelector = ObjectOf<typeof labelSelector>;

export const labelSelector = s.struct(
  "meta.v1.LabelSelector",
  {
    doc: "Selects objects by their labels; all parts must match. An empty selector selects everything, a missing one nothing.",
    mapType: "atomic",
  },
  () => ({
    matchLabels: s.map("string", {
      proto: 1,
      optional: true,
      doc: "Labels that an object must carry with exactly these values.",
    }),
    matchExpressions: s.list(labelSelectorRequirement, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Further requirements on labels, all of which must hold.",
    }),
  }),
);

export type LabelSelectorRequirement = ObjectOf<typeof labelSelectorRequirement>;

export const labelSelectorRequirement = s.struct(
  "meta.v1.LabelSelectorRequirement",
  { doc: "A requirement on one label." },
  () => ({
    key: s.string({ proto: 1, doc: "The label to look at." }),
    operator: s.string({
      alias: "LabelSelectorOperator",
      proto: 2,
      doc: "In and NotIn compare with the values; Exists and DoesNotExist only ask whether the label is there.",
    }),
    values: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "The values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist.",
    }),
  }),
);

export type FieldSelectorRequirement = ObjectOf<typeof fieldSelectorRequirement>;

export const fieldSelectorRequirement = s.struct(
  "meta.v1.FieldSelectorRequirement",
  { doc: "A requirement on one selectable field of an object." },
  () => ({
    key: s.string({ proto: 1, doc: "The path of the field, such as metadata.name." }),
    operator: s.string({
      alias: "FieldSelectorOperator",
      proto: 2,
      doc: "In and NotIn compare with the values; Exists and DoesNotExist only ask whether the field is there.",
    }),
    values: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "The values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist.",
    }),
  }),
);
