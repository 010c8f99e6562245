// TokenRequest: asks for a token of a service account.

import { opt, s, shown } from "../../schema/builder.ts";
import { defineBody, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type TokenRequest = ObjectOf<typeof tokenRequestSchema>;

const tokenRequestSchema = objectSchema(
  "authentication.v1.TokenRequest",
  "Asks for a token of a service account.",
  () => ({
    spec: s.of(tokenRequestSpec, 2, "What the token shall be good for."),
    status: opt.of(tokenRequestStatus, 3, "The token, filled in by the server."),
  }),
);

const tokenRequestSpec = s.struct("authentication.v1.TokenRequestSpec", "What a token shall be good for.", () => ({
  audiences: s.atomic("string", 1, "Who shall accept the token; others must refuse it. Empty means the server itself."),
  expirationSeconds: shown.int64(
    4,
    "Seconds that the token shall be valid; at least 600, an hour if not set. The server may choose another time.",
    { pointer: true },
  ),
  boundObjectRef: shown.of(
    boundObjectReference,
    3,
    "The token is valid only as long as this object exists: a pod, a secret or a node. Not set, it is bound to none.",
    { pointer: true },
  ),
}));

const boundObjectReference = s.struct(
  "authentication.v1.BoundObjectReference",
  "The object to whose life a token is bound.",
  () => ({
    kind: opt.string(1, "Pod, Secret or Node."),
    apiVersion: opt.string(2, "The group and version of the object."),
    name: opt.string(3, "The name of the object."),
    uid: opt.named("types.UID", 4, "The uid that the object must have; not set, that of the present one is taken.", {
      protoName: "uID",
    }),
  }),
);

const tokenRequestStatus = s.struct("authentication.v1.TokenRequestStatus", "A token and its end.", () => ({
  token: s.string(1, "The token, as a bearer sends it. Keep it secret."),
  expirationTimestamp: s.time(2, "When the token stops being valid."),
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
