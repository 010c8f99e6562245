// Whom a binding binds, and to which role.

import { pathSegmentProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { FILLED } from "../../schema/check-fields.ts";

export type Subject = ObjectOf<typeof subject>;

export const subject = s.struct(
  "rbac.v1.Subject",
  "A user, a group or a service account that gets a role.",
  { mapType: "atomic" },
  () => ({
    kind: s.string(1, "User, Group or ServiceAccount.", { must: { listed: ["ServiceAccount", "User", "Group"] } }),
    apiGroup: opt.string(
      2,
      "Empty for service accounts; for users and groups the group that roles are in, which is also the default.",
    ),
    name: s.string(3, "The name of the user, group or service account.", { must: FILLED }),
    namespace: opt.string(4, "The namespace of a service account; must be empty for users and groups."),
  }),
);

export type RoleRef = ObjectOf<typeof roleRef>;

export const roleRef = s.struct("rbac.v1.RoleRef", "The role that a binding grants.", { mapType: "atomic" }, () => ({
  apiGroup: s.string(1, "The API group that roles are in."),
  kind: s.string(2, "Role or ClusterRole."),
  name: s.string(3, "The name of the role.", { must: { filled: true, form: pathSegmentProblems } }),
}));
