// TokenRequest: asks for a token of a service account.

import { s } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type TokenRequest = ObjectOf<typeof tokenRequestSchema>;

export const tokenRequestSchema = objectSchema(
  "authentication.v1.TokenRequest",
  { doc: "Asks for a token of a service account." },
  () => ({
    spec: s.of(tokenRequestSpec, { proto: 2 }),
    status: s.of(tokenRequestStatus, { proto: 3, optional: true }),
  }),
);

export type TokenRequestSpec = ObjectOf<typeof tokenRequestSpec>;

export const tokenRequestSpec = s.struct("authentication.v1.TokenRequestSpec", () => ({
  audiences: s.list("string", { proto: 1, listType: "atomic" }),
  expirationSeconds: s.int64({ proto: 4, required: false, pointer: true }),
  boundObjectRef: s.of(boundObjectReference, { proto: 3, required: false, pointer: true }),
}));

export type BoundObjectReference = ObjectOf<typeof boundObjectReference>;

export const boundObjectReference = s.struct("authentication.v1.BoundObjectReference", () => ({
  kind: s.string({ proto: 1, optional: true }),
  apiVersion: s.string({ proto: 2, optional: true }),
  name: s.string({ proto: 3, optional: true }),
  uid: s.string({ proto: 4, protoName: "uID", optional: true }),
}));

export type TokenRequestStatus = ObjectOf<typeof tokenRequestStatus>;

export const tokenRequestStatus = s.struct("authentication.v1.TokenRequestStatus", () => ({
  token: s.string({ proto: 1 }),
  expirationTimestamp: s.time({ proto: 2 }),
}));

export const tokenRequest = defineBody({
  group: "authentication",
  version: "v1",
  kind: "TokenRequest",
  scope: "Namespaced",
  schema: tokenRequestSchema,
  hooks: {
    default({ spec }) {
      spec.expirationSeconds ??= TOKEN_SECONDS;
    },
  },
});

const TOKEN_SECONDS = 3600;
