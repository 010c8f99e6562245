// SubjectAccessReview: asks whether a user may do something.

import { opt, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { subjectAccessReviewSpec, subjectAccessReviewStatus } from "./access-review-schema.ts";

export type SubjectAccessReview = ObjectOf<typeof subjectAccessReviewSchema>;

const subjectAccessReviewSchema = objectSchema(
  "authorization.v1.SubjectAccessReview",
  "Asks whether a user may do something.",
  () => ({
    spec: s.of(subjectAccessReviewSpec, 2, "Who wants to do what."),
    status: opt.of(subjectAccessReviewStatus, 3, "The answer, filled in by the server."),
  }),
);

export const subjectAccessReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "SubjectAccessReview",
  resource: "subjectaccessreviews",
  scope: "Cluster",
  schema: subjectAccessReviewSchema,
  virtual: true,
});
