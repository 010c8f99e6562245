// The metadata of every object and list. Requirements: document 1, "Object metadata".

import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../../meta/object.ts";
import { s } from "../../schema/builder.ts";

export const objectMeta = s.struct<ObjectMeta>(
  "meta.v1.ObjectMeta",
  { doc: "What every stored object has: its identity, its labels, its owners and its history." },
  () => ({
    name: s.string({
      proto: 1,
      optional: true,
      doc: "Identifies the object among those of its kind in its namespace. Cannot change; needed unless generateName is set.",
    }),
    generateName: s.string({
      proto: 2,
      optional: true,
      doc: "A prefix to which the server adds random characters to form the name, when no name is given.",
    }),
    namespace: s.string({
      proto: 3,
      optional: true,
      doc: "The namespace that the object lives in; empty for objects of the whole cluster. Cannot change.",
    }),
    selfLink: s.string({ proto: 4, optional: true, doc: "No longer filled in; kept for old clients." }),
    uid: s.string({
      alias: "types.UID",
      proto: 5,
      optional: true,
      doc: "Set by the server. Tells apart objects that bore the same name at different times.",
    }),
    resourceVersion: s.string({
      proto: 6,
      optional: true,
      doc: "Changes with every write; send it back to refuse an update of what others changed. Compare only for equality.",
    }),
    generation: s.int64({
      proto: 7,
      optional: true,
      doc: "Set by the server: counts the changes of the desired state.",
    }),
    creationTimestamp: s.time({
      proto: 8,
      optional: true,
      omitZero: true,
      doc: "When the server created the object, in UTC; clients cannot set it.",
    }),
    deletionTimestamp: s.time({
      proto: 9,
      optional: true,
      pointer: true,
      doc: "Set by a graceful delete: when the object is due to go. It stays until its finalizers are removed.",
    }),
    deletionGracePeriodSeconds: s.int64({
      proto: 10,
      optional: true,
      pointer: true,
      doc: "Seconds that the object gets to end once its deletion is requested; later requests can only shorten it.",
    }),
    labels: s.map("string", {
      proto: 11,
      optional: true,
      doc: "Short keys and values by which objects are found and grouped; selectors match them.",
    }),
    annotations: s.map("string", {
      proto: 12,
      optional: true,
      doc: "Any further text by key, for tools and people; selectors do not see it.",
    }),
    ownerReferences: s.list(ownerReference, {
      proto: 13,
      optional: true,
      listType: "map",
      mapKeys: ["uid"],
      patchStrategy: ["merge"],
      patchMergeKey: "uid",
      doc: "The objects that this one depends on; it is collected when all of them are gone. At most one is the controller.",
    }),
    finalizers: s.list("string", {
      proto: 14,
      optional: true,
      listType: "set",
      patchStrategy: ["merge"],
      doc: "Names of tasks to do before the object may go; each is removed by whoever has done it, in any order.",
    }),
    managedFields: s.list(managedFieldsEntry, {
      proto: 17,
      optional: true,
      listType: "atomic",
      doc: "Which manager has set which fields; kept by the server for server-side apply, rarely of use to people.",
    }),
  }),
);

const ownerReference = s.struct<OwnerReference>(
  "meta.v1.OwnerReference",
  {
    doc: "An object that this one belongs to; when all owners are gone, so is it. Owners are in the same namespace or in none.",
    mapType: "atomic",
  },
  () => ({
    apiVersion: s.string({ proto: 5, doc: "The group and version of the owner." }),
    kind: s.string({ proto: 1, doc: "The kind of the owner." }),
    name: s.string({ proto: 3, doc: "The name of the owner." }),
    uid: s.string({
      alias: "types.UID",
      proto: 4,
      doc: "The uid of the owner: a new object of the same name is not the owner.",
    }),
    controller: s.boolean({
      proto: 6,
      optional: true,
      pointer: true,
      doc: "True for the one owner that manages this object.",
    }),
    blockOwnerDeletion: s.boolean({
      proto: 7,
      optional: true,
      pointer: true,
      doc: "In a foreground deletion the owner stays until this object is gone. Setting it needs the right to change the owner's finalizers.",
    }),
  }),
);

const managedFieldsEntry = s.struct<ManagedFieldsEntry>(
  "meta.v1.ManagedFieldsEntry",
  { doc: "The fields that one manager has set." },
  () => ({
    manager: s.string({
      proto: 1,
      optional: true,
      doc: "The name of the manager, given by the client or taken from its user agent.",
    }),
    operation: s.string({
      alias: "ManagedFieldsOperationType",
      proto: 2,
      optional: true,
      doc: "How the fields were set: Apply by server-side apply, Update by any other write.",
    }),
    apiVersion: s.string({
      proto: 3,
      optional: true,
      doc: "The group and version in which the fields are written down here.",
    }),
    time: s.time({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "When the manager last added, changed or gave up a field in this entry.",
    }),
    fieldsType: s.string({ proto: 6, optional: true, doc: "The format of the field set; always FieldsV1." }),
    fieldsV1: s.anyObject("fieldsV1", {
      proto: 7,
      optional: true,
      pointer: true,
      doc: 'The set of fields as a tree: "f:" before a field\'s name, "k:" a list item\'s keys, "v:" a value, "." the item itself.',
    }),
    subresource: s.string({
      proto: 8,
      optional: true,
      doc: "The sub-resource through which the fields were written; empty for the object itself.",
    }),
  }),
);

export interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export const listMeta = s.struct<ListMeta>(
  "meta.v1.ListMeta",
  { doc: "What every list has: its version, and how to read on." },
  () => ({
    selfLink: s.string({ proto: 1, optional: true, doc: "No longer filled in; kept for old clients." }),
    resourceVersion: s.string({
      proto: 2,
      optional: true,
      doc: "The version at which the list was read; a watch may start from it. Compare only for equality.",
    }),
    continue: s.string({
      proto: 3,
      optional: true,
      doc: "Set when there is more: pass it in the next request to read on at the same version. It expires after some minutes.",
    }),
    remainingItemCount: s.int64({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "About how many items come after this page; absent on the last page and when selectors are used.",
    }),
  }),
);

/** Kind and apiVersion: flat in JSON; in protobuf they stand in the envelope, not in the object. */
export const typeMeta = s.struct("meta.v1.TypeMeta", { doc: "The kind and the version of an object." }, () => ({
  kind: s.string({
    proto: 1,
    optional: true,
    doc: "The kind of the object, in CamelCase; cannot change. The server infers it from the path when it is not set.",
  }),
  apiVersion: s.string({
    proto: 2,
    optional: true,
    doc: 'The group and version in which the object is written, as "group/version" or "v1".',
  }),
}));
