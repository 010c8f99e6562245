// SelfSubjectRulesReview: asks what the caller may do in a namespace.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { defineKind } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type SelfSubjectRulesReview = ObjectOf<typeof selfSubjectRulesReviewSchema>;

const selfSubjectRulesReviewSchema = objectSchema(
  "authorization.v1.SelfSubjectRulesReview",
  "Asks what the caller may do in a namespace. For user interfaces; decisions belong to access reviews.",
  () => ({
    spec: s.of(selfSubjectRulesReviewSpec, 2, "The namespace to answer for."),
    status: opt.of(subjectRulesReviewStatus, 3, "The rules, filled in by the server."),
  }),
);

export const selfSubjectRulesReview = defineKind({
  group: "authorization",
  version: "v1",
  kind: "SelfSubjectRulesReview",
  resource: "selfsubjectrulesreviews",
  scope: "Cluster",
  schema: selfSubjectRulesReviewSchema,
  virtual: true,
});

const selfSubjectRulesReviewSpec = s.struct(
  "authorization.v1.SelfSubjectRulesReviewSpec",
  "The namespace to answer for.",
  () => ({
    namespace: opt.string(1, "The namespace to answer for; required."),
  }),
);

const subjectRulesReviewStatus = s.struct(
  "authorization.v1.SubjectRulesReviewStatus",
  "What a user may do, as far as the authorizers can list it.",
  () => ({
    resourceRules: s.atomic(
      resourceRule,
      1,
      "What is allowed on resources; order has no meaning, and rules may overlap.",
    ),
    nonResourceRules: s.atomic(
      nonResourceRule,
      2,
      "What is allowed on paths outside of resources; order has no meaning, and rules may overlap.",
    ),
    incomplete: s.boolean(3, "True if rules may be missing, for example because an authorizer cannot list its own."),
    evaluationError: opt.string(4, "What went wrong while collecting; the rules that were found are still there."),
  }),
);

const resourceRule = s.struct("authorization.v1.ResourceRule", "Verbs that are allowed on some resources.", () => ({
  verbs: s.atomic("string", 1, 'The allowed verbs; "*" means all.'),
  apiGroups: opt.atomic("string", 2, 'The API groups that the rule covers; "*" means all.'),
  resources: opt.atomic(
    "string",
    3,
    'The resources that the rule covers: "*" means all, "pods/log" a sub-resource, "*/scale" that sub-resource of all.',
  ),
  resourceNames: opt.atomic("string", 4, "Only objects of these names; empty means all."),
}));

const nonResourceRule = s.struct("authorization.v1.NonResourceRule", "Verbs that are allowed on some paths.", () => ({
  verbs: s.atomic("string", 1, 'The allowed HTTP methods in lower case; "*" means all.'),
  nonResourceURLs: opt.atomic("string", 2, 'The paths; a "*" at the end stands for everything below.'),
}));
