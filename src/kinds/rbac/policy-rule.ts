// What a role allows.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type PolicyRule = ObjectOf<typeof policyRule>;

export const policyRule = s.struct("rbac.v1.PolicyRule", () => ({
  verbs: s.list("string", { proto: 1, listType: "atomic" }),
  apiGroups: s.list("string", { proto: 2, optional: true, listType: "atomic" }),
  resources: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
  resourceNames: s.list("string", { proto: 4, optional: true, listType: "atomic" }),
  nonResourceURLs: s.list("string", { proto: 5, optional: true, listType: "atomic" }),
}));
