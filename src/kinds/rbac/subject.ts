// Whom a binding binds, and to which role.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Subject = ObjectOf<typeof subject>;

export const subject = s.struct(
  "rbac.v1.Subject",
  { mapType: "atomic", doc: "A user, a group or a service account that gets a role." },
  () => ({
    kind: s.string({ proto: 1, doc: "User, Group or ServiceAccount." }),
    apiGroup: s.string({
      proto: 2,
      optional: true,
      doc: "Empty for service accounts; for users and groups the group that roles are in, which is also the default.",
    }),
    name: s.string({ proto: 3, doc: "The name of the user, group or service account." }),
    namespace: s.string({
      proto: 4,
      optional: true,
      doc: "The namespace of a service account; must be empty for users and groups.",
    }),
  }),
);

export type RoleRef = ObjectOf<typeof roleRef>;

export const roleRef = s.struct(
  "rbac.v1.RoleRef",
  { mapType: "atomic", doc: "The role that a binding grants." },
  () => ({
    apiGroup: s.string({ proto: 1, doc: "The API group that roles are in." }),
    kind: s.string({ proto: 2, doc: "Role or ClusterRole." }),
    name: s.string({ proto: 3, doc: "The name of the role." }),
  }),
);
