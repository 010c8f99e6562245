// What the access reviews ask and answer.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { fieldSelectorRequirement, labelSelectorRequirement } from "../meta/label-selector.ts";

export type SubjectAccessReviewSpec = ObjectOf<typeof subjectAccessReviewSpec>;

export const subjectAccessReviewSpec = s.struct("authorization.v1.SubjectAccessReviewSpec", () => ({
  resourceAttributes: s.of(resourceAttributes, { proto: 1, optional: true, pointer: true }),
  nonResourceAttributes: s.of(nonResourceAttributes, { proto: 2, optional: true, pointer: true }),
  user: s.string({ proto: 3, optional: true }),
  groups: s.list("string", { proto: 4, optional: true, listType: "atomic" }),
  extra: s.map(extraValue, { proto: 5, optional: true }),
  uid: s.string({ proto: 6, optional: true }),
}));

export type ResourceAttributes = ObjectOf<typeof resourceAttributes>;

export const resourceAttributes = s.struct("authorization.v1.ResourceAttributes", () => ({
  namespace: s.string({ proto: 1, optional: true }),
  verb: s.string({ proto: 2, optional: true }),
  group: s.string({ proto: 3, optional: true }),
  version: s.string({ proto: 4, optional: true }),
  resource: s.string({ proto: 5, optional: true }),
  subresource: s.string({ proto: 6, optional: true }),
  name: s.string({ proto: 7, optional: true }),
  fieldSelector: s.of(fieldSelectorAttributes, { proto: 8, optional: true, pointer: true }),
  labelSelector: s.of(labelSelectorAttributes, { proto: 9, optional: true, pointer: true }),
}));

export type FieldSelectorAttributes = ObjectOf<typeof fieldSelectorAttributes>;

export const fieldSelectorAttributes = s.struct("authorization.v1.FieldSelectorAttributes", () => ({
  rawSelector: s.string({ proto: 1, optional: true }),
  requirements: s.list(fieldSelectorRequirement, { proto: 2, optional: true, listType: "atomic" }),
}));

export type LabelSelectorAttributes = ObjectOf<typeof labelSelectorAttributes>;

export const labelSelectorAttributes = s.struct("authorization.v1.LabelSelectorAttributes", () => ({
  rawSelector: s.string({ proto: 1, optional: true }),
  requirements: s.list(labelSelectorRequirement, { proto: 2, optional: true, listType: "atomic" }),
}));

export type NonResourceAttributes = ObjectOf<typeof nonResourceAttributes>;

export const nonResourceAttributes = s.struct("authorization.v1.NonResourceAttributes", () => ({
  path: s.string({ proto: 1, optional: true }),
  verb: s.string({ proto: 2, optional: true }),
}));

export const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
export type SubjectAccessReviewStatus = ObjectOf<typeof subjectAccessReviewStatus>;

export const subjectAccessReviewStatus = s.struct("authorization.v1.SubjectAccessReviewStatus", () => ({
  allowed: s.boolean({ proto: 1 }),
  denied: s.boolean({ proto: 4, optional: true }),
  reason: s.string({ proto: 2, optional: true }),
  evaluationError: s.string({ proto: 3, optional: true }),
}));
