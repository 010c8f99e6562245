// The schema of FlowSchema.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type FlowSchema = ObjectOf<typeof flowSchemaSchema>;

export const flowSchemaSchema = objectSchema(
  "flowcontrol.v1.FlowSchema",
  { doc: "Which requests belong to which priority level." },
  () => ({
    spec: s.of(flowSchemaSpec, { proto: 2, optional: true, doc: "Which requests are meant and where they go." }),
    status: s.of(flowSchemaStatus, { proto: 3, optional: true, doc: "How the server takes this schema." }),
  }),
);

export type FlowSchemaSpec = ObjectOf<typeof flowSchemaSpec>;

export const flowSchemaSpec = s.struct(
  "flowcontrol.v1.FlowSchemaSpec",
  { doc: "Which requests a schema takes, and to which priority level they go." },
  () => ({
    priorityLevelConfiguration: s.of(priorityLevelConfigurationReference, {
      proto: 1,
      doc: "Priority level of the requests. While it does not exist, the schema is not used.",
    }),
    matchingPrecedence: s.int32({
      proto: 2,
      required: false,
      doc: "Order among schemas that match, 2 to 10000 (1 is for the one named exempt): the smallest wins, then the name. By default 1000.",
    }),
    distinguisherMethod: s.of(flowDistinguisherMethod, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "How requests are divided into flows that get equal turns; when not set, all form one flow.",
    }),
    rules: s.list(policyRulesWithSubjects, {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "A request belongs to the schema when one of these matches; without any, none does.",
    }),
  }),
);

export type PriorityLevelConfigurationReference = ObjectOf<typeof priorityLevelConfigurationReference>;

export const priorityLevelConfigurationReference = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationReference",
  { doc: "Names a priority level." },
  () => ({
    name: s.string({ proto: 1, doc: "Name of the PriorityLevelConfiguration." }),
  }),
);

export type FlowDistinguisherMethod = ObjectOf<typeof flowDistinguisherMethod>;

export const flowDistinguisherMethod = s.struct(
  "flowcontrol.v1.FlowDistinguisherMethod",
  { doc: "How requests of one schema are divided into flows." },
  () => ({
    type: s.string({
      alias: "FlowDistinguisherMethodType",
      proto: 1,
      doc: "ByUser makes one flow for each user, ByNamespace one for each namespace that requests are about.",
    }),
  }),
);

export type PolicyRulesWithSubjects = ObjectOf<typeof policyRulesWithSubjects>;

export const policyRulesWithSubjects = s.struct(
  "flowcontrol.v1.PolicyRulesWithSubjects",
  { doc: "Matches requests of one of the subjects that also match one of the rules." },
  () => ({
    subjects: s.list(subject, { proto: 1, listType: "atomic", doc: "Who makes the requests; at least one." }),
    resourceRules: s.list(resourcePolicyRule, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "Requests for resources that match. At least one rule, here or in nonResourceRules, is needed.",
    }),
    nonResourceRules: s.list(nonResourcePolicyRule, {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "Requests for other paths that match.",
    }),
  }),
);

export type Subject = ObjectOf<typeof subject>;

export const subject = s.struct(
  "flowcontrol.v1.Subject",
  {
    unions: [{ discriminator: "kind", fields: { group: "Group", serviceAccount: "ServiceAccount", user: "User" } }],
    doc: "Who makes a request: a user, a group or a service account. The member that kind names is set, no other.",
  },
  () => ({
    kind: s.string({ alias: "SubjectKind", proto: 1, doc: "User, Group or ServiceAccount." }),
    user: s.of(userSubject, { proto: 2, optional: true, pointer: true, doc: "The user, when kind is User." }),
    group: s.of(groupSubject, { proto: 3, optional: true, pointer: true, doc: "The group, when kind is Group." }),
    serviceAccount: s.of(serviceAccountSubject, {
      proto: 4,
      optional: true,
      pointer: true,
      doc: "The service account, when kind is ServiceAccount.",
    }),
  }),
);

export type UserSubject = ObjectOf<typeof userSubject>;

export const userSubject = s.struct("flowcontrol.v1.UserSubject", { doc: "A user." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the user, or * for every user." }),
}));

export type GroupSubject = ObjectOf<typeof groupSubject>;

export const groupSubject = s.struct("flowcontrol.v1.GroupSubject", { doc: "A group of users." }, () => ({
  name: s.string({ proto: 1, doc: "Name of the group, or * for every group." }),
}));

export type ServiceAccountSubject = ObjectOf<typeof serviceAccountSubject>;

export const serviceAccountSubject = s.struct(
  "flowcontrol.v1.ServiceAccountSubject",
  { doc: "A service account, or all of a namespace." },
  () => ({
    namespace: s.string({ proto: 1, doc: "Namespace of the service account." }),
    name: s.string({ proto: 2, doc: "Name of the service account, or * for all of the namespace." }),
  }),
);

export type ResourcePolicyRule = ObjectOf<typeof resourcePolicyRule>;

export const resourcePolicyRule = s.struct(
  "flowcontrol.v1.ResourcePolicyRule",
  { doc: "Matches requests for resources; verb, group, resource and namespace must all match." },
  () => ({
    verbs: s.list("string", {
      proto: 1,
      listType: "set",
      doc: "Verbs that match, such as get or create; or * alone for all.",
    }),
    apiGroups: s.list("string", {
      proto: 2,
      listType: "set",
      doc: "API groups that match, with an empty text for the core group; or * alone for all.",
    }),
    resources: s.list("string", {
      proto: 3,
      listType: "set",
      doc: "Resources in plural that match, subresources as resource/subresource; or * alone for all.",
    }),
    clusterScope: s.boolean({
      proto: 4,
      optional: true,
      doc: "Whether requests without a namespace match as well: for cluster-wide resources, or for all namespaces.",
    }),
    namespaces: s.list("string", {
      proto: 5,
      required: false,
      listType: "set",
      doc: "Namespaces that match, or * alone for all. May be empty only when clusterScope is true.",
    }),
  }),
);

export type NonResourcePolicyRule = ObjectOf<typeof nonResourcePolicyRule>;

export const nonResourcePolicyRule = s.struct(
  "flowcontrol.v1.NonResourcePolicyRule",
  { doc: "Matches requests for paths that are not resources, such as /healthz." },
  () => ({
    verbs: s.list("string", {
      proto: 1,
      listType: "set",
      doc: "Methods in lower case that match, such as get; or * alone for all.",
    }),
    nonResourceURLs: s.list("string", {
      proto: 6,
      listType: "set",
      doc: "Paths that match; /* at the end takes everything below, and * alone takes all.",
    }),
  }),
);

export type FlowSchemaStatus = ObjectOf<typeof flowSchemaStatus>;

export const flowSchemaStatus = s.struct(
  "flowcontrol.v1.FlowSchemaStatus",
  { doc: "How the server takes a schema." },
  () => ({
    conditions: s.list(flowSchemaCondition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "Dangling is True while the priority level of the schema does not exist.",
    }),
  }),
);

export type FlowSchemaCondition = ObjectOf<typeof flowSchemaCondition>;

export const flowSchemaCondition = s.struct(
  "flowcontrol.v1.FlowSchemaCondition",
  { doc: "One observation about a flow schema." },
  () => ({
    type: s.string({
      alias: "FlowSchemaConditionType",
      proto: 1,
      optional: true,
      doc: "What is observed, such as Dangling.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, optional: true, doc: "True, False or Unknown." }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last became another one." }),
    reason: s.string({
      proto: 4,
      optional: true,
      doc: "Why the status is what it is, as one CamelCase word for programs.",
    }),
    message: s.string({ proto: 5, optional: true, doc: "What was observed, for people." }),
  }),
);
