// The schema of SelfSubjectRulesReview.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type SelfSubjectRulesReview = ObjectOf<typeof selfSubjectRulesReviewSchema>;

export const selfSubjectRulesReviewSchema = objectSchema(
  "authorization.v1.SelfSubjectRulesReview",
  { doc: "Asks what the caller may do in a namespace. For user interfaces; decisions belong to access reviews." },
  () => ({
    spec: s.of(selfSubjectRulesReviewSpec, { proto: 2, doc: "The namespace to answer for." }),
    status: s.of(subjectRulesReviewStatus, { proto: 3, optional: true, doc: "The rules, filled in by the server." }),
  }),
);

export type SelfSubjectRulesReviewSpec = ObjectOf<typeof selfSubjectRulesReviewSpec>;

export const selfSubjectRulesReviewSpec = s.struct(
  "authorization.v1.SelfSubjectRulesReviewSpec",
  { doc: "The namespace to answer for." },
  () => ({
    namespace: s.string({ proto: 1, optional: true, doc: "The namespace to answer for; required." }),
  }),
);

export type SubjectRulesReviewStatus = ObjectOf<typeof subjectRulesReviewStatus>;

export const subjectRulesReviewStatus = s.struct(
  "authorization.v1.SubjectRulesReviewStatus",
  { doc: "What a user may do, as far as the authorizers can list it." },
  () => ({
    resourceRules: s.list(resourceRule, {
      proto: 1,
      listType: "atomic",
      doc: "What is allowed on resources; order has no meaning, and rules may overlap.",
    }),
    nonResourceRules: s.list(nonResourceRule, {
      proto: 2,
      listType: "atomic",
      doc: "What is allowed on paths outside of resources; order has no meaning, and rules may overlap.",
    }),
    incomplete: s.boolean({
      proto: 3,
      doc: "True if rules may be missing, for example because an authorizer cannot list its own.",
    }),
    evaluationError: s.string({
      proto: 4,
      optional: true,
      doc: "What went wrong while collecting; the rules that were found are still there.",
    }),
  }),
);

export type ResourceRule = ObjectOf<typeof resourceRule>;

export const resourceRule = s.struct(
  "authorization.v1.ResourceRule",
  { doc: "Verbs that are allowed on some resources." },
  () => ({
    verbs: s.list("string", { proto: 1, listType: "atomic", doc: 'The allowed verbs; "*" means all.' }),
    apiGroups: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: 'The API groups that the rule covers; "*" means all.',
    }),
    resources: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: 'The resources that the rule covers: "*" means all, "pods/log" a sub-resource, "*/scale" that sub-resource of all.',
    }),
    resourceNames: s.list("string", {
      proto: 4,
      optional: true,
      listType: "atomic",
      doc: "Only objects of these names; empty means all.",
    }),
  }),
);

export type NonResourceRule = ObjectOf<typeof nonResourceRule>;

export const nonResourceRule = s.struct(
  "authorization.v1.NonResourceRule",
  { doc: "Verbs that are allowed on some paths." },
  () => ({
    verbs: s.list("string", {
      proto: 1,
      listType: "atomic",
      doc: 'The allowed HTTP methods in lower case; "*" means all.',
    }),
    nonResourceURLs: s.list("string", {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: 'The paths; a "*" at the end stands for everything below.',
    }),
  }),
);
