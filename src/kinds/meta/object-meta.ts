// The metadata of every object and list. Requirements: document 1, "Object metadata".

import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../../meta/object.ts";
import { s } from "../../schema/builder.ts";

export const objectMeta = s.struct<ObjectMeta>("meta.v1.ObjectMeta", { doc: "What every stored object has." }, () => ({
  name: s.string({ proto: 1, optional: true }),
  generateName: s.string({ proto: 2, optional: true }),
  namespace: s.string({ proto: 3, optional: true }),
  selfLink: s.string({ proto: 4, optional: true }),
  uid: s.string({ alias: "types.UID", proto: 5, optional: true }),
  resourceVersion: s.string({ proto: 6, optional: true }),
  generation: s.int64({ proto: 7, optional: true }),
  creationTimestamp: s.time({ proto: 8, optional: true, omitZero: true }),
  deletionTimestamp: s.time({ proto: 9, optional: true, pointer: true }),
  deletionGracePeriodSeconds: s.int64({ proto: 10, optional: true, pointer: true }),
  labels: s.map("string", { proto: 11, optional: true }),
  annotations: s.map("string", { proto: 12, optional: true }),
  ownerReferences: s.list(ownerReference, {
    proto: 13,
    optional: true,
    listType: "map",
    mapKeys: ["uid"],
    patchStrategy: ["merge"],
    patchMergeKey: "uid",
  }),
  finalizers: s.list("string", { proto: 14, optional: true, listType: "set", patchStrategy: ["merge"] }),
  managedFields: s.list(managedFieldsEntry, { proto: 17, optional: true, listType: "atomic" }),
}));

const ownerReference = s.struct<OwnerReference>(
  "meta.v1.OwnerReference",
  { doc: "An object that this one belongs to; when all owners are gone, so is it.", mapType: "atomic" },
  () => ({
    apiVersion: s.string({ proto: 5 }),
    kind: s.string({ proto: 1 }),
    name: s.string({ proto: 3 }),
    uid: s.string({ alias: "types.UID", proto: 4 }),
    controller: s.boolean({ proto: 6, optional: true, pointer: true }),
    blockOwnerDeletion: s.boolean({ proto: 7, optional: true, pointer: true }),
  }),
);

const managedFieldsEntry = s.struct<ManagedFieldsEntry>(
  "meta.v1.ManagedFieldsEntry",
  { doc: "The fields that one manager has set." },
  () => ({
    manager: s.string({ proto: 1, optional: true }),
    operation: s.string({ alias: "ManagedFieldsOperationType", proto: 2, optional: true }),
    apiVersion: s.string({ proto: 3, optional: true }),
    time: s.time({ proto: 4, optional: true, pointer: true }),
    fieldsType: s.string({ proto: 6, optional: true }),
    fieldsV1: s.anyObject("fieldsV1", { proto: 7, optional: true, pointer: true }),
    subresource: s.string({ proto: 8, optional: true }),
  }),
);

export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export const listMeta = s.struct<ListMeta>("meta.v1.ListMeta", { doc: "What every list has." }, () => ({
  selfLink: s.string({ proto: 1, optional: true }),
  resourceVersion: s.string({ proto: 2, optional: true }),
  continue: s.string({ proto: 3, optional: true }),
  remainingItemCount: s.int64({ proto: 4, optional: true, pointer: true }),
}));

/** Kind and apiVersion: flat in JSON; in protobuf they stand in the envelope, not in the object. */
export const typeMeta = s.struct("meta.v1.TypeMeta", () => ({
  kind: s.string({ proto: 1, optional: true }),
  apiVersion: s.string({ proto: 2, optional: true }),
}));
