// The schema of the audit Policy file.

import { s } from "../schema/builder.ts";

export const policySchema = s.struct("audit.v1.Policy", () => ({
  apiVersion: s.string({ proto: 1 }),
  kind: s.string({ proto: 2 }),
  metadata: s.of(policyMetadata, { proto: 3, optional: true }),
  rules: s.list(policyRule, { proto: 4 }),
  omitStages: s.list("string", { proto: 5, optional: true }),
  omitManagedFields: s.boolean({ proto: 6, optional: true }),
}));

const policyMetadata = s.struct("audit.v1.PolicyMetadata", () => ({
  name: s.string({ proto: 1, optional: true }),
}));

const policyRule = s.struct("audit.v1.PolicyRule", () => ({
  level: s.string({ proto: 1 }),
  users: s.list("string", { proto: 2, optional: true }),
  userGroups: s.list("string", { proto: 3, optional: true }),
  verbs: s.list("string", { proto: 4, optional: true }),
  resources: s.list(groupResources, { proto: 5, optional: true }),
  namespaces: s.list("string", { proto: 6, optional: true }),
  nonResourceURLs: s.list("string", { proto: 7, optional: true }),
  omitStages: s.list("string", { proto: 8, optional: true }),
  omitManagedFields: s.boolean({ proto: 9, optional: true, pointer: true }),
}));

const groupResources = s.struct("audit.v1.GroupResources", () => ({
  group: s.string({ proto: 1, optional: true }),
  resources: s.list("string", { proto: 2, optional: true }),
  resourceNames: s.list("string", { proto: 3, optional: true }),
}));
