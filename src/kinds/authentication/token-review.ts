// TokenReview: asks whether a token is valid and whose it is.

import { opt, s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { userInfo } from "./user-info.ts";

export type TokenReview = ObjectOf<typeof tokenReviewSchema>;

const tokenReviewSchema = objectSchema(
  "authentication.v1.TokenReview",
  "Asks whether a token is valid and whose it is.",
  () => ({
    spec: s.of(tokenReviewSpec, 2, "The token to check."),
    status: opt.of(tokenReviewStatus, 3, "The answer, filled in by the server."),
  }),
);

export const tokenReview = defineKind({
  group: "authentication",
  version: "v1",
  kind: "TokenReview",
  resource: "tokenreviews",
  scope: "Cluster",
  schema: tokenReviewSchema,
  virtual: true,
});

const tokenReviewSpec = s.struct("authentication.v1.TokenReviewSpec", "The token to check.", () => ({
  token: opt.string(1, "The token, without the word Bearer."),
  audiences: opt.atomic(
    "string",
    2,
    "The names under which the asker accepts tokens; the token must be meant for one of them. Empty means the server itself.",
  ),
}));

const tokenReviewStatus = s.struct(
  "authentication.v1.TokenReviewStatus",
  "Whether a token is valid, and whose it is.",
  () => ({
    authenticated: opt.boolean(1, "True if the token belongs to a known user."),
    user: opt.of(userInfo, 2, "Whose token it is; empty if it is not valid."),
    audiences: opt.atomic(
      "string",
      4,
      "Those of the requested audiences that the token is good for. If empty, it is good for the server's own audience.",
    ),
    error: opt.string(3, "Why the token could not be checked."),
  }),
);
