// The schema of FlowSchema.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type FlowSchema = ObjectOf<typeof flowSchemaSchema>;

export const flowSchemaSchema = objectSchema(
  "flowcontrol.v1.FlowSchema",
  { doc: "Which requests belong to which priority level." },
  () => ({
    spec: s.of(flowSchemaSpec, { proto: 2, optional: true }),
    status: s.of(flowSchemaStatus, { proto: 3, optional: true }),
  }),
);

export type FlowSchemaSpec = ObjectOf<typeof flowSchemaSpec>;

export const flowSchemaSpec = s.struct("flowcontrol.v1.FlowSchemaSpec", () => ({
  priorityLevelConfiguration: s.of(priorityLevelConfigurationReference, { proto: 1 }),
  matchingPrecedence: s.int32({ proto: 2, required: false }),
  distinguisherMethod: s.of(flowDistinguisherMethod, { proto: 3, optional: true, pointer: true }),
  rules: s.list(policyRulesWithSubjects, { proto: 4, optional: true, listType: "atomic" }),
}));

export type PriorityLevelConfigurationReference = ObjectOf<typeof priorityLevelConfigurationReference>;

export const priorityLevelConfigurationReference = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationReference",
  () => ({
    name: s.string({ proto: 1 }),
  }),
);

export type FlowDistinguisherMethod = ObjectOf<typeof flowDistinguisherMethod>;

export const flowDistinguisherMethod = s.struct("flowcontrol.v1.FlowDistinguisherMethod", () => ({
  type: s.string({ alias: "FlowDistinguisherMethodType", proto: 1 }),
}));

export type PolicyRulesWithSubjects = ObjectOf<typeof policyRulesWithSubjects>;

export const policyRulesWithSubjects = s.struct("flowcontrol.v1.PolicyRulesWithSubjects", () => ({
  subjects: s.list(subject, { proto: 1, listType: "atomic" }),
  resourceRules: s.list(resourcePolicyRule, { proto: 2, optional: true, listType: "atomic" }),
  nonResourceRules: s.list(nonResourcePolicyRule, { proto: 3, optional: true, listType: "atomic" }),
}));

export type Subject = ObjectOf<typeof subject>;

export const subject = s.struct(
  "flowcontrol.v1.Subject",
  { unions: [{ discriminator: "kind", fields: { group: "Group", serviceAccount: "ServiceAccount", user: "User" } }] },
  () => ({
    kind: s.string({ alias: "SubjectKind", proto: 1 }),
    user: s.of(userSubject, { proto: 2, optional: true, pointer: true }),
    group: s.of(groupSubject, { proto: 3, optional: true, pointer: true }),
    serviceAccount: s.of(serviceAccountSubject, { proto: 4, optional: true, pointer: true }),
  }),
);

export type UserSubject = ObjectOf<typeof userSubject>;

export const userSubject = s.struct("flowcontrol.v1.UserSubject", () => ({
  name: s.string({ proto: 1 }),
}));

export type GroupSubject = ObjectOf<typeof groupSubject>;

export const groupSubject = s.struct("flowcontrol.v1.GroupSubject", () => ({
  name: s.string({ proto: 1 }),
}));

export type ServiceAccountSubject = ObjectOf<typeof serviceAccountSubject>;

export const serviceAccountSubject = s.struct("flowcontrol.v1.ServiceAccountSubject", () => ({
  namespace: s.string({ proto: 1 }),
  name: s.string({ proto: 2 }),
}));

export type ResourcePolicyRule = ObjectOf<typeof resourcePolicyRule>;

export const resourcePolicyRule = s.struct("flowcontrol.v1.ResourcePolicyRule", () => ({
  verbs: s.list("string", { proto: 1, listType: "set" }),
  apiGroups: s.list("string", { proto: 2, listType: "set" }),
  resources: s.list("string", { proto: 3, listType: "set" }),
  clusterScope: s.boolean({ proto: 4, optional: true }),
  namespaces: s.list("string", { proto: 5, required: false, listType: "set" }),
}));

export type NonResourcePolicyRule = ObjectOf<typeof nonResourcePolicyRule>;

export const nonResourcePolicyRule = s.struct("flowcontrol.v1.NonResourcePolicyRule", () => ({
  verbs: s.list("string", { proto: 1, listType: "set" }),
  nonResourceURLs: s.list("string", { proto: 6, listType: "set" }),
}));

export type FlowSchemaStatus = ObjectOf<typeof flowSchemaStatus>;

export const flowSchemaStatus = s.struct("flowcontrol.v1.FlowSchemaStatus", () => ({
  conditions: s.list(flowSchemaCondition, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type FlowSchemaCondition = ObjectOf<typeof flowSchemaCondition>;

export const flowSchemaCondition = s.struct("flowcontrol.v1.FlowSchemaCondition", () => ({
  type: s.string({ alias: "FlowSchemaConditionType", proto: 1, optional: true }),
  status: s.string({ alias: "ConditionStatus", proto: 2, optional: true }),
  lastTransitionTime: s.time({ proto: 3, required: false }),
  reason: s.string({ proto: 4, optional: true }),
  message: s.string({ proto: 5, optional: true }),
}));
