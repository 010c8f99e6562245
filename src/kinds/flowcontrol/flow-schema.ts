// FlowSchema: which requests belong to which priority level.

import { equalJson } from "../../base/json.ts";
import { duplicate, type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { addProblems } from "../meta/value-checks.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { checkFlowRule } from "./flow-rule-validation.ts";
import { EXEMPT, MANDATORY_SCHEMAS } from "./mandatory.ts";

export type FlowSchema = ObjectOf<typeof flowSchemaSchema>;

const flowSchemaSchema = objectSchema(
  "flowcontrol.v1.FlowSchema",
  "Which requests belong to which priority level.",
  () => ({
    spec: opt.of(flowSchemaSpec, 2, "Which requests are meant and where they go."),
    status: opt.of(flowSchemaStatus, 3, "How the server takes this schema."),
  }),
);

export const flowSchema = defineKind({
  group: "flowcontrol.apiserver",
  version: "v1",
  kind: "FlowSchema",
  resource: "flowschemas",
  scope: "Cluster",
  schema: flowSchemaSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "PriorityLevel", type: "string", cell: ({ spec }) => spec.priorityLevelConfiguration.name },
    { name: "MatchingPrecedence", type: "string", cell: ({ spec }) => spec.matchingPrecedence },
    { name: "DistinguisherMethod", type: "string", cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>" },
    AGE_COLUMN,
    { name: "MissingPL", type: "string", cell: missingLevelCell },
  ],
  subresources: {
    status: {
      ...statusSubresource<FlowSchema>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateFlowSchema,
    },
  },
  hooks: {
    default({ spec }) {
      spec.matchingPrecedence ||= 1000;
    },
    prepareForCreate(schema) {
      schema.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateFlowSchema,
    validateUpdate: validateFlowSchema,
  },
});

function missingLevelCell({ status }: FlowSchema): string {
  return (status.conditions ?? []).find((condition) => condition.type === "Dangling")?.status ?? "?";
}

export type FlowSchemaSpec = ObjectOf<typeof flowSchemaSpec>;

const flowSchemaSpec = s.struct(
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

const priorityLevelConfigurationReference = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationReference",
  "Names a priority level.",
  () => ({
    name: s.string(1, "Name of the PriorityLevelConfiguration."),
  }),
);

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

export type PolicyRulesWithSubjects = ObjectOf<typeof policyRulesWithSubjects>;

const policyRulesWithSubjects = s.struct(
  "flowcontrol.v1.PolicyRulesWithSubjects",
  "Matches requests of one of the subjects that also match one of the rules.",
  () => ({
    subjects: s.atomic(subject, 1, "Who makes the requests; at least one."),
    resourceRules: opt.atomic(
      resourcePolicyRule,
      2,
      "Requests for resources that match. At least one rule, here or in nonResourceRules, is needed.",
    ),
    nonResourceRules: opt.atomic(nonResourcePolicyRule, 3, "Requests for other paths that match."),
  }),
);

export type Subject = ObjectOf<typeof subject>;

const subject = s.struct(
  "flowcontrol.v1.Subject",
  "Who makes a request: a user, a group or a service account. The member that kind names is set, no other.",
  { unions: [{ discriminator: "kind", fields: { group: "Group", serviceAccount: "ServiceAccount", user: "User" } }] },
  () => ({
    kind: s.named("SubjectKind", 1, "User, Group or ServiceAccount."),
    user: ptr.of(userSubject, 2, "The user, when kind is User."),
    group: ptr.of(groupSubject, 3, "The group, when kind is Group."),
    serviceAccount: ptr.of(serviceAccountSubject, 4, "The service account, when kind is ServiceAccount."),
  }),
);

const userSubject = s.struct("flowcontrol.v1.UserSubject", "A user.", () => ({
  name: s.string(1, "Name of the user, or * for every user."),
}));

const groupSubject = s.struct("flowcontrol.v1.GroupSubject", "A group of users.", () => ({
  name: s.string(1, "Name of the group, or * for every group."),
}));

const serviceAccountSubject = s.struct(
  "flowcontrol.v1.ServiceAccountSubject",
  "A service account, or all of a namespace.",
  () => ({
    namespace: s.string(1, "Namespace of the service account."),
    name: s.string(2, "Name of the service account, or * for all of the namespace."),
  }),
);

export type ResourcePolicyRule = ObjectOf<typeof resourcePolicyRule>;

const resourcePolicyRule = s.struct(
  "flowcontrol.v1.ResourcePolicyRule",
  "Matches requests for resources; verb, group, resource and namespace must all match.",
  () => ({
    verbs: s.set("string", 1, "Verbs that match, such as get or create; or * alone for all."),
    apiGroups: s.set("string", 2, "API groups that match, with an empty text for the core group; or * alone for all."),
    resources: s.set(
      "string",
      3,
      "Resources in plural that match, subresources as resource/subresource; or * alone for all.",
    ),
    clusterScope: opt.boolean(
      4,
      "Whether requests without a namespace match as well: for cluster-wide resources, or for all namespaces.",
    ),
    namespaces: shown.set(
      "string",
      5,
      "Namespaces that match, or * alone for all. May be empty only when clusterScope is true.",
    ),
  }),
);

export type NonResourcePolicyRule = ObjectOf<typeof nonResourcePolicyRule>;

const nonResourcePolicyRule = s.struct(
  "flowcontrol.v1.NonResourcePolicyRule",
  "Matches requests for paths that are not resources, such as /healthz.",
  () => ({
    verbs: s.set("string", 1, "Methods in lower case that match, such as get; or * alone for all."),
    nonResourceURLs: s.set(
      "string",
      6,
      "Paths that match; /* at the end takes everything below, and * alone takes all.",
    ),
  }),
);

const flowSchemaStatus = s.struct("flowcontrol.v1.FlowSchemaStatus", "How the server takes a schema.", () => ({
  conditions: opt.listBy(
    "type",
    flowSchemaCondition,
    1,
    "Dangling is True while the priority level of the schema does not exist.",
  ),
}));

export type FlowSchemaCondition = ObjectOf<typeof flowSchemaCondition>;

const flowSchemaCondition = s.struct(
  "flowcontrol.v1.FlowSchemaCondition",
  "One observation about a flow schema.",
  () => ({
    type: opt.named("FlowSchemaConditionType", 1, "What is observed, such as Dangling."),
    status: opt.named("ConditionStatus", 2, "True, False or Unknown."),
    lastTransitionTime: shown.time(3, "When the status last became another one."),
    reason: opt.string(4, "Why the status is what it is, as one CamelCase word for programs."),
    message: opt.string(5, "What was observed, for people."),
  }),
);

const MAX_PRECEDENCE = 10_000;
const METHODS = ["ByNamespace", "ByUser"];

function validateFlowSchema({ metadata, spec, status }: FlowSchema): FieldError[] {
  const errors: FieldError[] = [];
  const name = metadata.name ?? "";
  checkSpec(spec, name, errors);
  const fixed = MANDATORY_SCHEMAS.get(name);
  if (fixed !== undefined && !equalJson(spec, fixed)) {
    const detail = `spec of '${name}' must equal the fixed value`;
    errors.push(invalid("spec", internalForm(spec, flowSchemaSpec), detail));
  }
  checkConditionTypes(status.conditions ?? [], errors);
  return errors;
}

/** One condition of each type. */
export function checkConditionTypes(conditions: readonly { readonly type?: string }[], errors: FieldError[]): void {
  const seen = new Set<string>();
  conditions.forEach(({ type = "" }, index) => {
    const field = `status.conditions[${index}].type`;
    if (seen.has(type)) errors.push(duplicate(field, type));
    seen.add(type);
    if (type === "") errors.push(required(field));
  });
}

function checkSpec(spec: FlowSchemaSpec, name: string, errors: FieldError[]): void {
  const field = "spec.matchingPrecedence";
  const precedence = spec.matchingPrecedence;
  if (precedence <= 0) errors.push(invalid(field, precedence, "must be a positive value"));
  if (precedence > MAX_PRECEDENCE) {
    errors.push(invalid(field, precedence, `must not be greater than ${MAX_PRECEDENCE}`));
  }
  if (precedence === 1 && name !== EXEMPT) {
    errors.push(invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1"));
  }
  const method = spec.distinguisherMethod?.type;
  if (method !== undefined && !METHODS.includes(method)) {
    errors.push(notSupported("spec.distinguisherMethod.type", method, METHODS));
  }
  const level = spec.priorityLevelConfiguration.name;
  const levelField = "spec.priorityLevelConfiguration.name";
  if (level === "") errors.push(required(levelField, "must reference a priority level"));
  else addProblems(errors, levelField, level, dns1123SubdomainProblems(level));
  (spec.rules ?? []).forEach((rule, index) => {
    checkFlowRule(rule, `spec.rules[${index}]`, errors);
  });
}
