// What a role allows.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type PolicyRule = ObjectOf<typeof policyRule>;

export const policyRule = s.struct(
  "rbac.v1.PolicyRule",
  { doc: "Verbs that are allowed, either on resources or on paths outside of them." },
  () => ({
    verbs: s.list("string", {
      proto: 1,
      listType: "atomic",
      doc: 'The allowed verbs, such as get, list, watch, create, update, patch, delete; "*" means all.',
    }),
    apiGroups: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: 'The API groups of the resources: an empty string is the core group, "*" means all.',
    }),
    resources: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: 'The resources: "*" means all, "pods/log" a sub-resource, "*/scale" that sub-resource of all.',
    }),
    resourceNames: s.list("string", {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Only objects of these names; empty means all. Creating and plain listing cannot be limited by name.",
    }),
    nonResourceURLs: s.list("string", {
      proto: 5,
      optional: true,
      listType: "atomic",
      doc: 'Paths outside of resources; a "*" at the end covers all below. Works only when a cluster role binding grants it.',
    }),
  }),
);
