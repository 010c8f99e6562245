// SelfSubjectAccessReview: asks whether the caller may do something.

import { opt, ptr, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { nonResourceAttributes, resourceAttributes, subjectAccessReviewStatus } from "./access-review-schema.ts";

export type SelfSubjectAccessReview = ObjectOf<typeof selfSubjectAccessReviewSchema>;

const selfSubjectAccessReviewSchema = objectSchema(
  "authorization.v1.SelfSubjectAccessReview",
  "Asks whether the caller may do something.",
  () => ({
    spec: s.of(selfSubjectAccessReviewSpec, 2, "What the caller wants to do."),
    status: opt.of(subjectAccessReviewStatus, 3, "The answer, filled in by the server."),
  }),
);

export const selfSubjectAccessReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "SelfSubjectAccessReview",
  resource: "selfsubjectaccessreviews",
  scope: "Cluster",
  schema: selfSubjectAccessReviewSchema,
  virtual: true,
});

const selfSubjectAccessReviewSpec = s.struct(
  "authorization.v1.SelfSubjectAccessReviewSpec",
  "What the caller wants to do; exactly one of the two is set.",
  () => ({
    resourceAttributes: ptr.of(resourceAttributes, 1, "The access to a resource that is asked about."),
    nonResourceAttributes: ptr.of(
      nonResourceAttributes,
      2,
      "The access to a path outside of resources that is asked about.",
    ),
  }),
);
