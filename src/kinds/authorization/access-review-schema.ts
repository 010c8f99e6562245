// What the access reviews ask and answer.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { fieldSelectorRequirement, labelSelectorRequirement } from "../meta/label-selector.ts";

export type SubjectAccessReviewSpec = ObjectOf<typeof subjectAccessReviewSpec>;

export const subjectAccessReviewSpec = s.struct(
  "authorization.v1.SubjectAccessReviewSpec",
  "Who wants to do what; exactly one of resourceAttributes and nonResourceAttributes is set.",
  () => ({
    resourceAttributes: ptr.of(resourceAttributes, 1, "The access to a resource that is asked about."),
    nonResourceAttributes: ptr.of(
      nonResourceAttributes,
      2,
      "The access to a path outside of resources that is asked about.",
    ),
    user: opt.string(
      3,
      "The user who wants access. May be left out if groups are given, to ask what the groups alone may do.",
    ),
    groups: opt.atomic("string", 4, "The groups that the user is in."),
    extra: opt.map(extraValue, 5, "Further facts about the user, by key, as authentication gives them."),
    uid: opt.string(6, "The uid of the user, as authentication gives it."),
  }),
);

export type ResourceAttributes = ObjectOf<typeof resourceAttributes>;

export const resourceAttributes = s.struct("authorization.v1.ResourceAttributes", "An access to a resource.", () => ({
  namespace: opt.string(
    1,
    "The namespace of the access; empty means all namespaces, or that the resource belongs to the cluster.",
  ),
  verb: opt.string(
    2,
    'What shall be done: get, list, watch, create, update, patch, delete and so on; "*" means all verbs.',
  ),
  group: opt.string(3, 'The API group of the resource; "*" means all, empty the core group.'),
  version: opt.string(4, 'The API version of the resource; "*" means all.'),
  resource: opt.string(5, 'The plural word of the resource; "*" means all.'),
  subresource: opt.string(6, "The sub-resource, such as status; empty for the object itself."),
  name: opt.string(7, "The object to be read or changed by its name; empty means all of them."),
  fieldSelector: ptr.of(
    fieldSelectorAttributes,
    8,
    "Limits the access to objects with these fields; an authorizer may grant more because of it, never less.",
  ),
  labelSelector: ptr.of(
    labelSelectorAttributes,
    9,
    "Limits the access to objects with these labels; an authorizer may grant more because of it, never less.",
  ),
}));

const fieldSelectorAttributes = s.struct(
  "authorization.v1.FieldSelectorAttributes",
  "A field selector in one of two forms: as text or in parts.",
  () => ({
    rawSelector: opt.string(
      1,
      "The selector as a query parameter would have it; parsed by the server. Not together with requirements.",
    ),
    requirements: opt.atomic(
      fieldSelectorRequirement,
      2,
      "The parts of the selector, all of which hold. Parts that are not understood may be left out of account.",
    ),
  }),
);

const labelSelectorAttributes = s.struct(
  "authorization.v1.LabelSelectorAttributes",
  "A label selector in one of two forms: as text or in parts.",
  () => ({
    rawSelector: opt.string(
      1,
      "The selector as a query parameter would have it; parsed by the server. Not together with requirements.",
    ),
    requirements: opt.atomic(
      labelSelectorRequirement,
      2,
      "The parts of the selector, all of which hold. Parts that are not understood may be left out of account.",
    ),
  }),
);

export const nonResourceAttributes = s.struct(
  "authorization.v1.NonResourceAttributes",
  "An access to a path outside of resources, such as /healthz.",
  () => ({
    path: opt.string(1, "The path of the URL."),
    verb: opt.string(2, "The HTTP method in lower case."),
  }),
);

const extraValue = s.listOf("string", { protoWrapper: "ExtraValue" });
export const subjectAccessReviewStatus = s.struct(
  "authorization.v1.SubjectAccessReviewStatus",
  "Whether the access is allowed.",
  () => ({
    allowed: s.boolean(1, "True if the access is granted."),
    denied: opt.boolean(
      4,
      "True if an authorizer refuses outright, whatever others say; with allowed false and this false, nobody had an opinion.",
    ),
    reason: opt.string(2, "Why it is granted or refused, in words."),
    evaluationError: opt.string(3, "What went wrong while deciding; a decision may have been reached nonetheless."),
  }),
);
