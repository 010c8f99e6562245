// SelfSubjectReview: answers who the caller is.

import { opt, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { userInfo } from "./user-info.ts";

export type SelfSubjectReview = ObjectOf<typeof selfSubjectReviewSchema>;

const selfSubjectReviewSchema = objectSchema(
  "authentication.v1.SelfSubjectReview",
  "Answers who the caller is, after impersonation.",
  () => ({
    status: opt.of(selfSubjectReviewStatus, 2, "The answer, filled in by the server."),
  }),
);

export const selfSubjectReview = defineKind({
  group: "authentication",
  version: "v1",
  kind: "SelfSubjectReview",
  resource: "selfsubjectreviews",
  scope: "Cluster",
  schema: selfSubjectReviewSchema,
  virtual: true,
});

const selfSubjectReviewStatus = s.struct("authentication.v1.SelfSubjectReviewStatus", "Who the caller is.", () => ({
  userInfo: opt.of(userInfo, 1, "The user as the server sees it."),
}));
