// Whom a binding binds, and to which role.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type Subject = ObjectOf<typeof subject>;

export const subject = s.struct("rbac.v1.Subject", { mapType: "atomic" }, () => ({
  kind: s.string({ proto: 1 }),
  apiGroup: s.string({ proto: 2, optional: true }),
  name: s.string({ proto: 3 }),
  namespace: s.string({ proto: 4, optional: true }),
}));

export type RoleRef = ObjectOf<typeof roleRef>;

export const roleRef = s.struct("rbac.v1.RoleRef", { mapType: "atomic" }, () => ({
  apiGroup: s.string({ proto: 1 }),
  kind: s.string({ proto: 2 }),
  name: s.string({ proto: 3 }),
}));
