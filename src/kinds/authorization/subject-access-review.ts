// SubjectAccessReview: asks whether a user may do something.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { subjectAccessReviewSpec, subjectAccessReviewStatus } from "./access-review-schema.ts";

export type SubjectAccessReview = ObjectOf<typeof subjectAccessReviewSchema>;

export const subjectAccessReviewSchema = objectSchema(
  "authorization.v1.SubjectAccessReview",
  { doc: "Asks whether a user may do something." },
  () => ({
    spec: s.of(subjectAccessReviewSpec, { proto: 2, doc: "Who wants to do what." }),
    status: s.of(subjectAccessReviewStatus, { proto: 3, optional: true, doc: "The answer, filled in by the server." }),
  }),
);

export const subjectAccessReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "SubjectAccessReview",
  resource: "subjectaccessreviews",
  singular: "subjectaccessreview",
  scope: "Cluster",
  verbs: ["create"],
  schema: subjectAccessReviewSchema,
  protobuf: true,
  virtual: true,
});
