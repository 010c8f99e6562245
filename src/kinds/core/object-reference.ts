// References to other objects.

import { type ObjectOf, s } from "../../schema/builder.ts";

export type ObjectReference = ObjectOf<typeof objectReference>;

export const objectReference = s.struct(
  "core.v1.ObjectReference",
  { doc: "Names an object anywhere.", mapType: "atomic" },
  () => ({
    kind: s.string({ proto: 1, optional: true }),
    namespace: s.string({ proto: 2, optional: true }),
    name: s.string({ proto: 3, optional: true }),
    uid: s.string({ alias: "types.UID", proto: 4, optional: true }),
    apiVersion: s.string({ proto: 5, optional: true }),
    resourceVersion: s.string({ proto: 6, optional: true }),
    fieldPath: s.string({ proto: 7, optional: true }),
  }),
);

export type LocalObjectReference = ObjectOf<typeof localObjectReference>;

export const localObjectReference = s.struct("core.v1.LocalObjectReference", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true, publishedDefault: "" }),
}));

export type TypedLocalObjectReference = ObjectOf<typeof typedLocalObjectReference>;

export const typedLocalObjectReference = s.struct("core.v1.TypedLocalObjectReference", { mapType: "atomic" }, () => ({
  apiGroup: s.string({ proto: 1, required: false, pointer: true }),
  kind: s.string({ proto: 2 }),
  name: s.string({ proto: 3 }),
}));

export type TypedObjectReference = ObjectOf<typeof typedObjectReference>;

export const typedObjectReference = s.struct("core.v1.TypedObjectReference", () => ({
  apiGroup: s.string({ proto: 1, required: false, pointer: true }),
  kind: s.string({ proto: 2 }),
  name: s.string({ proto: 3 }),
  namespace: s.string({ proto: 4, optional: true, pointer: true, gate: "CrossNamespaceVolumeDataSource" }),
}));

export type SecretReference = ObjectOf<typeof secretReference>;

export const secretReference = s.struct("core.v1.SecretReference", { mapType: "atomic" }, () => ({
  name: s.string({ proto: 1, optional: true }),
  namespace: s.string({ proto: 2, optional: true }),
}));
