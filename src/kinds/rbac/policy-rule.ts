// What a role allows.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";

export type PolicyRule = ObjectOf<typeof policyRule>;

export const policyRule = s.struct(
  "rbac.v1.PolicyRule",
  "Verbs that are allowed, either on resources or on paths outside of them.",
  () => ({
    verbs: s.atomic(
      "string",
      1,
      'The allowed verbs, such as get, list, watch, create, update, patch, delete; "*" means all.',
    ),
    apiGroups: opt.atomic(
      "string",
      2,
      'The API groups of the resources: an empty string is the core group, "*" means all.',
    ),
    resources: opt.atomic(
      "string",
      3,
      'The resources: "*" means all, "pods/log" a sub-resource, "*/scale" that sub-resource of all.',
    ),
    resourceNames: opt.atomic(
      "string",
      4,
      "Only objects of these names; empty means all. Creating and plain listing cannot be limited by name.",
    ),
    nonResourceURLs: opt.atomic(
      "string",
      5,
      'Paths outside of resources; a "*" at the end covers all below. Works only when a cluster role binding grants it.',
    ),
  }),
);
