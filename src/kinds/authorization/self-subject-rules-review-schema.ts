// The schema of SelfSubjectRulesReview.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type SelfSubjectRulesReview = ObjectOf<typeof selfSubjectRulesReviewSchema>;

export const selfSubjectRulesReviewSchema = objectSchema(
  "authorization.v1.SelfSubjectRulesReview",
  { doc: "Asks what the caller may do in a namespace." },
  () => ({
    spec: s.of(selfSubjectRulesReviewSpec, { proto: 2 }),
    status: s.of(subjectRulesReviewStatus, { proto: 3, optional: true }),
  }),
);

export type SelfSubjectRulesReviewSpec = ObjectOf<typeof selfSubjectRulesReviewSpec>;

export const selfSubjectRulesReviewSpec = s.struct("authorization.v1.SelfSubjectRulesReviewSpec", () => ({
  namespace: s.string({ proto: 1, optional: true }),
}));

export type SubjectRulesReviewStatus = ObjectOf<typeof subjectRulesReviewStatus>;

export const subjectRulesReviewStatus = s.struct("authorization.v1.SubjectRulesReviewStatus", () => ({
  resourceRules: s.list(resourceRule, { proto: 1, listType: "atomic" }),
  nonResourceRules: s.list(nonResourceRule, { proto: 2, listType: "atomic" }),
  incomplete: s.boolean({ proto: 3 }),
  evaluationError: s.string({ proto: 4, optional: true }),
}));

export type ResourceRule = ObjectOf<typeof resourceRule>;

export const resourceRule = s.struct("authorization.v1.ResourceRule", () => ({
  verbs: s.list("string", { proto: 1, listType: "atomic" }),
  apiGroups: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  resources: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
  resourceNames: s.list("string", { proto: 4, optional: true, listType: "atomic" }),
}));

export type NonResourceRule = ObjectOf<typeof nonResourceRule>;

export const nonResourceRule = s.struct("authorization.v1.NonResourceRule", () => ({
  verbs: s.list("string", { proto: 1, listType: "atomic" }),
  nonResourceURLs: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
}));
