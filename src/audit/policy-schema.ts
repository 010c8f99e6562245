// The schema of the audit Policy file.

import { opt, ptr, s } from "../schema/builder.ts";

export const policySchema = s.struct("audit.v1.Policy", () => ({
  apiVersion: s.string(1),
  kind: s.string(2),
  metadata: opt.of(policyMetadata, 3),
  rules: s.list(policyRule, 4),
  omitStages: opt.list("string", 5),
  omitManagedFields: opt.boolean(6),
}));

const policyMetadata = s.struct("audit.v1.PolicyMetadata", () => ({
  name: opt.string(1),
}));

const policyRule = s.struct("audit.v1.PolicyRule", () => ({
  level: s.string(1),
  users: opt.list("string", 2),
  userGroups: opt.list("string", 3),
  verbs: opt.list("string", 4),
  resources: opt.list(groupResources, 5),
  namespaces: opt.list("string", 6),
  nonResourceURLs: opt.list("string", 7),
  omitStages: opt.list("string", 8),
  omitManagedFields: ptr.boolean(9),
}));

const groupResources = s.struct("audit.v1.GroupResources", () => ({
  group: opt.string(1),
  resources: opt.list("string", 2),
  resourceNames: opt.list("string", 3),
}));
