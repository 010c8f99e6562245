// SelfSubjectAccessReview: asks whether the caller may do something.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { nonResourceAttributes, resourceAttributes, subjectAccessReviewStatus } from "./access-review-schema.ts";

export type SelfSubjectAccessReview = ObjectOf<typeof selfSubjectAccessReviewSchema>;

export const selfSubjectAccessReviewSchema = objectSchema(
  "authorization.v1.SelfSubjectAccessReview",
  { doc: "Asks whether the caller may do something." },
  () => ({
    spec: s.of(selfSubjectAccessReviewSpec, { proto: 2 }),
    status: s.of(subjectAccessReviewStatus, { proto: 3, optional: true }),
  }),
);

export const selfSubjectAccessReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  resource: "selfsubjectaccessreviews",
  singular: "selfsubjectaccessreview",
  scope: "Cluster",
  verbs: ["create"],
  schema: selfSubjectAccessReviewSchema,
  protobuf: true,
  virtual: true,
});

export type SelfSubjectAccessReviewSpec = ObjectOf<typeof selfSubjectAccessReviewSpec>;

export const selfSubjectAccessReviewSpec = s.struct("authorization.v1.SelfSubjectAccessReviewSpec", () => ({
  resourceAttributes: s.of(resourceAttributes, { proto: 1, optional: true, pointer: true }),
  nonResourceAttributes: s.of(nonResourceAttributes, { proto: 2, optional: true, pointer: true }),
}));
