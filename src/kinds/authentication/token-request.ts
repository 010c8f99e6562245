// TokenRequest: asks for a token of a service account.

import { s } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type TokenRequest = ObjectOf<typeof tokenRequestSchema>;

export const tokenRequestSchema = objectSchema(
  "authentication.v1.TokenRequest",
  { doc: "Asks for a token of a service account." },
  () => ({
    spec: s.of(tokenRequestSpec, { proto: 2, doc: "What the token shall be good for." }),
    status: s.of(tokenRequestStatus, { proto: 3, optional: true, doc: "The token, filled in by the server." }),
  }),
);

export type TokenRequestSpec = ObjectOf<typeof tokenRequestSpec>;

export const tokenRequestSpec = s.struct(
  "authentication.v1.TokenRequestSpec",
  { doc: "What a token shall be good for." },
  () => ({
    audiences: s.list("string", {
      proto: 1,
      listType: "atomic",
      doc: "Who shall accept the token; others must refuse it. Empty means the server itself.",
    }),
    expirationSeconds: s.int64({
      proto: 4,
      required: false,
      pointer: true,
      doc: "Seconds that the token shall be valid; at least 600, an hour if not set. The server may choose another time.",
    }),
    boundObjectRef: s.of(boundObjectReference, {
      proto: 3,
      required: false,
      pointer: true,
      doc: "The token is valid only as long as this object exists: a pod, a secret or a node. Not set, it is bound to none.",
    }),
  }),
);

export type BoundObjectReference = ObjectOf<typeof boundObjectReference>;

export const boundObjectReference = s.struct(
  "authentication.v1.BoundObjectReference",
  { doc: "The object to whose life a token is bound." },
  () => ({
    kind: s.string({ proto: 1, optional: true, doc: "Pod, Secret or Node." }),
    apiVersion: s.string({ proto: 2, optional: true, doc: "The group and version of the object." }),
    name: s.string({ proto: 3, optional: true, doc: "The name of the object." }),
    uid: s.string({
      alias: "types.UID",
      proto: 4,
      protoName: "uID",
      optional: true,
      doc: "The uid that the object must have; not set, that of the present one is taken.",
    }),
  }),
);

export type TokenRequestStatus = ObjectOf<typeof tokenRequestStatus>;

export const tokenRequestStatus = s.struct(
  "authentication.v1.TokenRequestStatus",
  { doc: "A token and its end." },
  () => ({
    token: s.string({ proto: 1, doc: "The token, as a bearer sends it. Keep it secret." }),
    expirationTimestamp: s.time({ proto: 2, doc: "When the token stops being valid." }),
  }),
);

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
