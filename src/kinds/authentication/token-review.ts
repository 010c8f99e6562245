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
    spec: s.of(tokenReviewSpec, { proto: 2 }),
    status: s.of(tokenReviewStatus, { proto: 3, optional: true }),
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

export const tokenReviewSpec = s.struct("authentication.v1.TokenReviewSpec", () => ({
  token: s.string({ proto: 1, optional: true }),
  audiences: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
}));

export type TokenReviewStatus = ObjectOf<typeof tokenReviewStatus>;

export const tokenReviewStatus = s.struct("authentication.v1.TokenReviewStatus", () => ({
  authenticated: s.boolean({ proto: 1, optional: true }),
  user: s.of(userInfo, { proto: 2, optional: true }),
  audiences: s.list("string", { proto: 4, optional: true, listType: "atomic" }),
  error: s.string({ proto: 3, optional: true }),
}));
