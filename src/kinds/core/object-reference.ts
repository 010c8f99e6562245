// References to other objects.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";

export const objectReference = s.struct(
  "core.v1.ObjectReference",
  "Names an object anywhere.",
  { mapType: "atomic" },
  () => ({
    kind: opt.string(1, "Kind of the object."),
    namespace: opt.string(2, "Namespace of the object; empty for objects of the cluster."),
    name: opt.string(3, "Name of the object."),
    uid: opt.named(
      "types.UID",
      4,
      "UID of the object, when this very one is meant and not a successor of the same name.",
    ),
    apiVersion: opt.string(5, "Group and version in whose terms the object is meant."),
    resourceVersion: opt.string(6, "Version of the object at which the reference was made."),
    fieldPath: opt.string(7, "Part of the object that is meant, such as `spec.containers{name}`. Not set, all of it."),
  }),
);

const REFERENCE_PARTS = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"] as const;

/** Field selectors for every part of a reference that objects hold as `member`. */
export function referenceFields<T>(
  member: string,
  referenceOf: (object: T) => ObjectOf<typeof objectReference>,
): Record<string, (object: T) => string> {
  return Object.fromEntries(
    REFERENCE_PARTS.map((part) => [`${member}.${part}`, (object: T) => referenceOf(object)[part] ?? ""]),
  );
}

export const localObjectReference = s.struct(
  "core.v1.LocalObjectReference",
  "Names an object of the same namespace.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the object. Often required, although an empty one is accepted for old clients.", {
      publishedDefault: "",
    }),
  }),
);

export const typedLocalObjectReference = s.struct(
  "core.v1.TypedLocalObjectReference",
  "Names an object of any kind in the same namespace.",
  { mapType: "atomic" },
  () => ({
    apiGroup: shown.string(1, "Group of the object. Not set, the core group.", { pointer: true }),
    kind: s.string(2, "Kind of the object."),
    name: s.string(3, "Name of the object."),
  }),
);

export const typedObjectReference = s.struct(
  "core.v1.TypedObjectReference",
  "Names an object of any kind, perhaps in another namespace.",
  () => ({
    apiGroup: shown.string(1, "Group of the object. Not set, the core group.", { pointer: true }),
    kind: s.string(2, "Kind of the object."),
    name: s.string(3, "Name of the object."),
    namespace: ptr.string(
      4,
      "Namespace of the object. Not set, the same one; another one needs a ReferenceGrant there.",
    ),
  }),
);

export type SecretReference = ObjectOf<typeof secretReference>;

export const secretReference = s.struct(
  "core.v1.SecretReference",
  "Names a Secret in any namespace.",
  { mapType: "atomic" },
  () => ({
    name: opt.string(1, "Name of the Secret."),
    namespace: opt.string(2, "Namespace of the Secret."),
  }),
);
