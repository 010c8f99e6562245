// TokenReview: asks whether a token is valid and whose it is.

import { s } from "../../schema/builder.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { userInfo } from "./user-info.ts";

export type TokenReview = ObjectOf<typeof tokenReviewSchema>;

export const tokenReviewSchema = objectSchema(
  "authentication.v1.TokenReview",
  { doc: "Asks whether a token is valid and whose it is." },
  () => ({
    spec: s.of(tokenReviewSpec, { proto: 2, doc: "The token to check." }),
    status: s.of(tokenReviewStatus, { proto: 3, optional: true, doc: "The answer, filled in by the server." }),
  }),
);

export const tokenReview = defineKind({
  group: "authentication",
  version: "v1",
  kind: "TokenReview",
  resource: "tokenreviews",
  singular: "tokenreview",
  scope: "Cluster",
  verbs: ["create"],
  schema: tokenReviewSchema,
  protobuf: true,
  virtual: true,
});

export type TokenReviewSpec = ObjectOf<typeof tokenReviewSpec>;

export const tokenReviewSpec = s.struct("authentication.v1.TokenReviewSpec", { doc: "The token to check." }, () => ({
  token: s.string({ proto: 1, optional: true, doc: "The token, without the word Bearer." }),
  audiences: s.list("string", {
    proto: 2,
    optional: true,
    listType: "atomic",
    doc: "The names under which the asker accepts tokens; the token must be meant for one of them. Empty means the server itself.",
  }),
}));

export type TokenReviewStatus = ObjectOf<typeof tokenReviewStatus>;

export const tokenReviewStatus = s.struct(
  "authentication.v1.TokenReviewStatus",
  { doc: "Whether a token is valid, and whose it is." },
  () => ({
    authenticated: s.boolean({ proto: 1, optional: true, doc: "True if the token belongs to a known user." }),
    user: s.of(userInfo, { proto: 2, optional: true, doc: "Whose token it is; empty if it is not valid." }),
    audiences: s.list("string", {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Those of the requested audiences that the token is good for. If empty, it is good for the server's own audience.",
    }),
    error: s.string({ proto: 3, optional: true, doc: "Why the token could not be checked." }),
  }),
);
