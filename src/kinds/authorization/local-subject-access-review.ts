// LocalSubjectAccessReview: asks whether a user may do something in one namespace.

import { opt, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { subjectAccessReviewSpec, subjectAccessReviewStatus } from "./access-review-schema.ts";

export type LocalSubjectAccessReview = ObjectOf<typeof localSubjectAccessReviewSchema>;

const localSubjectAccessReviewSchema = objectSchema(
  "authorization.v1.LocalSubjectAccessReview",
  "Asks whether a user may do something in one namespace.",
  () => ({
    spec: s.of(subjectAccessReviewSpec, 2, "Who wants to do what; its namespace must be that of the request."),
    status: opt.of(subjectAccessReviewStatus, 3, "The answer, filled in by the server."),
  }),
);

export const localSubjectAccessReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "LocalSubjectAccessReview",
  resource: "localsubjectaccessreviews",
  scope: "Namespaced",
  schema: localSubjectAccessReviewSchema,
  virtual: true,
});
