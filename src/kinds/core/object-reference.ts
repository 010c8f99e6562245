// References to other objects.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type ObjectReference = ObjectOf<typeof objectReference>;

export const objectReference = s.struct(
  "core.v1.ObjectReference",
  { doc: "Names an object anywhere.", mapType: "atomic" },
  () => ({
    kind: s.string({ proto: 1, optional: true, doc: "Kind of the object." }),
    namespace: s.string({
      proto: 2,
      optional: true,
      doc: "Namespace of the object; empty for objects of the cluster.",
    }),
    name: s.string({ proto: 3, optional: true, doc: "Name of the object." }),
    uid: s.string({
      alias: "types.UID",
      proto: 4,
      optional: true,
      doc: "UID of the object, when this very one is meant and not a successor of the same name.",
    }),
    apiVersion: s.string({ proto: 5, optional: true, doc: "Group and version in whose terms the object is meant." }),
    resourceVersion: s.string({
      proto: 6,
      optional: true,
      doc: "Version of the object at which the reference was made.",
    }),
    fieldPath: s.string({
      proto: 7,
      optional: true,
      doc: "Part of the object that is meant, such as `spec.containers{name}`. Not set, all of it.",
    }),
  }),
);

export type LocalObjectReference = ObjectOf<typeof localObjectReference>;

export const localObjectReference = s.struct(
  "core.v1.LocalObjectReference",
  { doc: "Names an object of the same namespace.", mapType: "atomic" },
  () => ({
    name: s.string({
      proto: 1,
      optional: true,
      publishedDefault: "",
      doc: "Name of the object. Often required, although an empty one is accepted for old clients.",
    }),
  }),
);

export type TypedLocalObjectReference = ObjectOf<typeof typedLocalObjectReference>;

export const typedLocalObjectReference = s.struct(
  "core.v1.TypedLocalObjectReference",
  { doc: "Names an object of any kind in the same namespace.", mapType: "atomic" },
  () => ({
    apiGroup: s.string({
      proto: 1,
      required: false,
      pointer: true,
      doc: "Group of the object. Not set, the core group.",
    }),
    kind: s.string({ proto: 2, doc: "Kind of the object." }),
    name: s.string({ proto: 3, doc: "Name of the object." }),
  }),
);

export type TypedObjectReference = ObjectOf<typeof typedObjectReference>;

export const typedObjectReference = s.struct(
  "core.v1.TypedObjectReference",
  { doc: "Names an object of any kind, perhaps in another namespace." },
  () => ({
    apiGroup: s.string({
      proto: 1,
      required: false,
      pointer: true,
      doc: "Group of the object. Not set, the core group.",
    }),
    kind: s.string({ proto: 2, doc: "Kind of the object." }),
    name: s.string({ proto: 3, doc: "Name of the object." }),
    namespace: s.string({
      proto: 4,
      optional: true,
      pointer: true,
      gate: "CrossNamespaceVolumeDataSource",
      doc: "Namespace of the object. Not set, the same one; another one needs a ReferenceGrant there.",
    }),
  }),
);

export type SecretReference = ObjectOf<typeof secretReference>;

export const secretReference = s.struct(
  "core.v1.SecretReference",
  { doc: "Names a Secret in any namespace.", mapType: "atomic" },
  () => ({
    name: s.string({ proto: 1, optional: true, doc: "Name of the Secret." }),
    namespace: s.string({ proto: 2, optional: true, doc: "Namespace of the Secret." }),
  }),
);
