// LimitRange: limits and defaults for the resources that objects of a namespace may use.

import { defineKind } from "../define-kind.ts";
import { defaultLimitRange } from "./limit-range-defaults.ts";
import { limitRangeSchema } from "./limit-range-schema.ts";
import { validateLimitRange } from "./limit-range-validation.ts";

export type { LimitRange } from "./limit-range-schema.ts";

export const limitRange = defineKind({
  group: "",
  version: "v1",
  kind: "LimitRange",
  resource: "limitranges",
  scope: "Namespaced",
  shortNames: ["limits"],
  schema: limitRangeSchema,
  createOnUpdate: true,
  unconditionalUpdate: true,
  hooks: {
    default: defaultLimitRange,
    prepareForCreate({ metadata }) {
      // The only kind that may come without any name.
      if (metadata.uid) metadata.name ||= metadata.uid;
    },
    validate: validateLimitRange,
    validateUpdate: (range, _old, context) => validateLimitRange(range, context),
  },
});
