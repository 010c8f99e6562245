// SelfSubjectRulesReview: asks what the caller may do in a namespace.

import { defineKind } from "../define-kind.ts";
import { selfSubjectRulesReviewSchema } from "./self-subject-rules-review-schema.ts";

export type { SelfSubjectRulesReview } from "./self-subject-rules-review-schema.ts";

export const selfSubjectRulesReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  resource: "selfsubjectrulesreviews",
  scope: "Cluster",
  schema: selfSubjectRulesReviewSchema,
  virtual: true,
});
