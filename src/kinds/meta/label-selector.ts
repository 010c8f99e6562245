// Selectors over labels.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";

export type LabelSelector = ObjectOf<typeof labelSelector>;

export const labelSelector = s.struct(
  "meta.v1.LabelSelector",
  "Selects objects by their labels; all parts must match. An empty selector selects everything, a missing one nothing.",
  { mapType: "atomic" },
  () => ({
    matchLabels: opt.map("string", 1, "Labels that an object must carry with exactly these values."),
    matchExpressions: opt.atomic(
      labelSelectorRequirement,
      2,
      "Further requirements on labels, all of which must hold.",
    ),
  }),
);

export const labelSelectorRequirement = s.struct(
  "meta.v1.LabelSelectorRequirement",
  "A requirement on one label.",
  () => ({
    key: s.string(1, "The label to look at."),
    operator: s.named(
      "LabelSelectorOperator",
      2,
      "In and NotIn compare with the values; Exists and DoesNotExist only ask whether the label is there.",
    ),
    values: opt.atomic(
      "string",
      3,
      "The values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist.",
    ),
  }),
);

export const fieldSelectorRequirement = s.struct(
  "meta.v1.FieldSelectorRequirement",
  "A requirement on one selectable field of an object.",
  () => ({
    key: s.string(1, "The path of the field, such as metadata.name."),
    operator: s.named(
      "FieldSelectorOperator",
      2,
      "In and NotIn compare with the values; Exists and DoesNotExist only ask whether the field is there.",
    ),
    values: opt.atomic(
      "string",
      3,
      "The values to compare with: at least one for In and NotIn, none for Exists and DoesNotExist.",
    ),
  }),
);
