// What the access reviews ask and answer.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { fieldSelectorRequirement, labelSelectorRequirement } from "../meta/label-selector.ts";

export type SubjectAccessReviewSpec = ObjectOf<typeof subjectAccessReviewSpec>;

export const subjectAccessReviewSpec = s.struct(
  "authorization.v1.SubjectAccessReviewSpec",
  { doc: "Who wants to do what; exactly one of resourceAttributes and nonResourceAttributes is set." },
  () => ({
    resourceAttributes: s.of(resourceAttributes, {
      proto: 1,
      optional: true,
      pointer: true,
      doc: "The access to a resource that is asked about.",
    }),
    nonResourceAttributes: s.of(nonResourceAttributes, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "The access to a path outside of resources that is asked about.",
    }),
    user: s.string({
      proto: 3,
      optional: true,
      doc: "The user who wants access. May be left out if groups are given, to ask what the groups alone may do.",
    }),
    groups: s.list("string", { proto: 4, optional: true, listType: "atomic", doc: "The groups that the user is in." }),
    extra: s.map(extraValue, {
      proto: 5,
      optional: true,
      doc: "Further facts about the user, by key, as authentication gives them.",
    }),
    uid: s.string({ proto: 6, optional: true, doc: "The uid of the user, as authentication gives it." }),
  }),
);

export type ResourceAttributes = ObjectOf<typeof resourceAttributes>;

export const resourceAttributes = s.struct(
  "authorization.v1.ResourceAttributes",
  { doc: "An access to a resource." },
  () => ({
    namespace: s.string({
      proto: 1,
      optional: true,
      doc: "The namespace of the access; empty means all namespaces, or that the resource belongs to the cluster.",
    }),
    verb: s.string({
      proto: 2,
      optional: true,
      doc: 'What shall be done: get, list, watch, create, update, patch, delete and so on; "*" means all verbs.',
    }),
    group: s.string({
      proto: 3,
      optional: true,
      doc: 'The API group of the resource; "*" means all, empty the core group.',
    }),
    version: s.string({ proto: 4, optional: true, doc: 'The API version of the resource; "*" means all.' }),
    resource: s.string({ proto: 5, optional: true, doc: 'The plural word of the resource; "*" means all.' }),
    subresource: s.string({
      proto: 6,
      optional: true,
      doc: "The sub-resource, such as status; empty for the object itself.",
    }),
    name: s.string({
      proto: 7,
      optional: true,
      doc: "The object to be read or changed by its name; empty means all of them.",
    }),
    fieldSelector: s.of(fieldSelectorAttributes, {
      proto: 8,
      optional: true,
      pointer: true,
      doc: "Limits the access to objects with these fields; an authorizer may grant more because of it, never less.",
    }),
    labelSelector: s.of(labelSelectorAttributes, {
      proto: 9,
      optional: true,
      pointer: true,
      doc: "Limits the access to objects with these labels; an authorizer may grant more because of it, never less.",
    }),
  }),
);

export type FieldSelectorAttributes = ObjectOf<typeof fieldSelectorAttributes>;

export const fieldSelectorAttributes = s.struct(
  "authorization.v1.FieldSelectorAttributes",
  { doc: "A field selector in one of two forms: as text or in parts." },
  () => ({
    rawSelector: s.string({
      proto: 1,
      optional: true,
      doc: "The selector as a query parameter would have it; parsed by the server. Not together with requirements.",
    }),
    requirements: s.list(fieldSelectorRequirement, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "The parts of the selector, all of which hold. Parts that are not understood may be left out of account.",
    }),
  }),
);

export type LabelSelectorAttributes = ObjectOf<typeof labelSelectorAttributes>;

export const labelSelectorAttributes = s.struct(
  "authorization.v1.LabelSelectorAttributes",
  { doc: "A label selector in one of two forms: as text or in parts." },
  () => ({
    rawSelector: s.string({
      proto: 1,
      optional: true,
      doc: "The selector as a query parameter would have it; parsed by the server. Not together with requirements.",
    }),
    requirements: s.list(labelSelectorRequirement, {
      proto: 2,
      optional: true,
      listType: "atomic",
      doc: "The parts of the selector, all of which hold. Parts that are not understood may be left out of account.",
    }),
  }),
);

export type NonResourceAttributes = ObjectOf<typeof nonResourceAttributes>;

export const nonResourceAttributes = s.struct(
  "authorization.v1.NonResourceAttributes",
  { doc: "An access to a path outside of resources, such as /healthz." },
  () => ({
    path: s.string({ proto: 1, optional: true, doc: "The path of the URL." }),
    verb: s.string({ proto: 2, optional: true, doc: "The HTTP method in lower case." }),
  }),
);

export const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
export type SubjectAccessReviewStatus = ObjectOf<typeof subjectAccessReviewStatus>;

export const subjectAccessReviewStatus = s.struct(
  "authorization.v1.SubjectAccessReviewStatus",
  { doc: "Whether the access is allowed." },
  () => ({
    allowed: s.boolean({ proto: 1, doc: "True if the access is granted." }),
    denied: s.boolean({
      proto: 4,
      optional: true,
      doc: "True if an authorizer refuses outright, whatever others say; with allowed false and this false, nobody had an opinion.",
    }),
    reason: s.string({ proto: 2, optional: true, doc: "Why it is granted or refused, in words." }),
    evaluationError: s.string({
      proto: 3,
      optional: true,
      doc: "What went wrong while deciding; a decision may have been reached nonetheless.",
    }),
  }),
);
