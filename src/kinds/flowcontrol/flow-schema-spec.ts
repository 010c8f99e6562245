// What a FlowSchema says: whose requests, which, and at what level.

import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { FILLED, INSIDE } from "../../schema/check-fields.ts";
import { starAlone } from "../meta/value-checks.ts";

export type FlowSchemaSpec = ObjectOf<typeof flowSchemaSpec>;

export const flowSchemaSpec = s.struct(
  "flowcontrol.v1.FlowSchemaSpec",
  "Which requests a schema takes, and to which priority level they go.",
  () => ({
    priorityLevelConfiguration: s.of(
      priorityLevelConfigurationReference,
      1,
      "Priority level of the requests. While it does not exist, the schema is not used.",
    ),
    matchingPrecedence: shown.int32(
      2,
      "Order among schemas that match, 2 to 10000 (1 is for the one named exempt): the smallest wins, then the name. By default 1000.",
      { must: { amount: precedenceProblems } },
    ),
    distinguisherMethod: ptr.of(
      flowDistinguisherMethod,
      3,
      "How requests are divided into flows that get equal turns; when not set, all form one flow.",
    ),
    rules: opt.atomic(
      policyRulesWithSubjects,
      4,
      "A request belongs to the schema when one of these matches; without any, none does.",
    ),
  }),
);

export const priorityLevelConfigurationReference = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationReference",
  "Names a priority level.",
  () => ({
    name: s.string(1, "Name of the PriorityLevelConfiguration.", {
      must: { filled: "must reference a priority level", form: dns1123SubdomainProblems },
    }),
  }),
);

export const DISTINGUISHER_TYPES: readonly string[] = ["ByNamespace", "ByUser"];

const flowDistinguisherMethod = s.struct(
  "flowcontrol.v1.FlowDistinguisherMethod",
  "How requests of one schema are divided into flows.",
  () => ({
    type: s.named(
      "FlowDistinguisherMethodType",
      1,
      "ByUser makes one flow for each user, ByNamespace one for each namespace that requests are about.",
    ),
  }),
);

const MAX_PRECEDENCE = 10_000;

const precedenceProblems = (precedence: number | bigint): string[] => [
  ...(precedence <= 0 ? ["must be a positive value"] : []),
  ...(precedence > MAX_PRECEDENCE ? [`must not be greater than ${MAX_PRECEDENCE}`] : []),
];

export type PolicyRulesWithSubjects = ObjectOf<typeof policyRulesWithSubjects>;

export const policyRulesWithSubjects = s.struct(
  "flowcontrol.v1.PolicyRulesWithSubjects",
  "Matches requests of one of the subjects that also match one of the rules.",
  () => ({
    subjects: s.atomic(subject, 1, "Who makes the requests; at least one.", {
      must: { filled: "subjects must contain at least one value" },
    }),
    resourceRules: opt.atomic(
      resourcePolicyRule,
      2,
      "Requests for resources that match. At least one rule, here or in nonResourceRules, is needed.",
    ),
    nonResourceRules: opt.atomic(nonResourcePolicyRule, 3, "Requests for other paths that match."),
  }),
);

export type Subject = ObjectOf<typeof subject>;

export const subject = s.struct(
  "flowcontrol.v1.Subject",
  "Who makes a request: a user, a group or a service account. The member that kind names is set, no other.",
  { unions: [{ discriminator: "kind", fields: { group: "Group", serviceAccount: "ServiceAccount", user: "User" } }] },
  () => ({
    kind: s.named("SubjectKind", 1, "User, Group or ServiceAccount.", {
      must: { listed: ["Group", "ServiceAccount", "User"] },
    }),
    user: ptr.of(userSubject, 2, "The user, when kind is User.", { must: INSIDE }),
    group: ptr.of(groupSubject, 3, "The group, when kind is Group.", { must: INSIDE }),
    serviceAccount: ptr.of(serviceAccountSubject, 4, "The service account, when kind is ServiceAccount."),
  }),
);

const userSubject = s.struct("flowcontrol.v1.UserSubject", "A user.", () => ({
  name: s.string(1, "Name of the user, or * for every user.", { must: FILLED }),
}));

const groupSubject = s.struct("flowcontrol.v1.GroupSubject", "A group of users.", () => ({
  name: s.string(1, "Name of the group, or * for every group.", { must: FILLED }),
}));

export const serviceAccountSubject = s.struct(
  "flowcontrol.v1.ServiceAccountSubject",
  "A service account, or all of a namespace.",
  () => ({
    namespace: s.string(1, "Namespace of the service account.", {
      must: { filled: "must specify namespace for service account", form: dns1123LabelProblems },
    }),
    name: s.string(2, "Name of the service account, or * for all of the namespace.", {
      must: { filled: true, form: (name) => (name === "*" ? [] : dns1123SubdomainProblems(name)) },
    }),
  }),
);

export type ResourcePolicyRule = ObjectOf<typeof resourcePolicyRule>;

export const resourcePolicyRule = s.struct(
  "flowcontrol.v1.ResourcePolicyRule",
  "Matches requests for resources; verb, group, resource and namespace must all match.",
  () => ({
    verbs: s.set("string", 1, "Verbs that match, such as get or create; or * alone for all.", { must: VERBS }),
    apiGroups: s.set("string", 2, "API groups that match, with an empty text for the core group; or * alone for all.", {
      must: { filled: "resource rules must supply at least one api group", whole: starAlone("api groups") },
    }),
    resources: s.set(
      "string",
      3,
      "Resources in plural that match, subresources as resource/subresource; or * alone for all.",
      { must: { filled: "resource rules must supply at least one resource", whole: starAlone("resources") } },
    ),
    clusterScope: opt.boolean(
      4,
      "Whether requests without a namespace match as well: for cluster-wide resources, or for all namespaces.",
    ),
    namespaces: shown.set(
      "string",
      5,
      "Namespaces that match, or * alone for all. May be empty only when clusterScope is true.",
      {
        must: {
          filled: "resource rules that are not cluster scoped must supply at least one namespace",
          whole: starAlone("namespaces"),
        },
      },
    ),
  }),
);

export type NonResourcePolicyRule = ObjectOf<typeof nonResourcePolicyRule>;

export const nonResourcePolicyRule = s.struct(
  "flowcontrol.v1.NonResourcePolicyRule",
  "Matches requests for paths that are not resources, such as /healthz.",
  () => ({
    verbs: s.set("string", 1, "Methods in lower case that match, such as get; or * alone for all.", { must: VERBS }),
    nonResourceURLs: s.set(
      "string",
      6,
      "Paths that match; /* at the end takes everything below, and * alone takes all.",
      { must: { filled: "nonResourceURLs must contain at least one value", whole: starAlone("non-resource URLs") } },
    ),
  }),
);

const VERBS = { filled: "verbs must contain at least one value", whole: starAlone("verbs") };
