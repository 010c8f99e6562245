// The metadata of every object and list. Requirements: document 1, "Object metadata".

import type { ManagedFieldsEntry, ObjectMeta, OwnerReference } from "../../meta/object.ts";
import { opt, ptr, s } from "../../schema/builder.ts";

export const objectMeta = s.struct<ObjectMeta>(
  "meta.v1.ObjectMeta",
  "What every stored object has: its identity, its labels, its owners and its history.",
  {},
  () => ({
    name: opt.string(
      1,
      "Name must be unique among the objects of a kind in their namespace. Cannot change; needed unless generateName is set.",
    ),
    generateName: opt.string(
      2,
      "GenerateName is a prefix to which the server adds random characters to form the name, when no name is given.",
    ),
    namespace: opt.string(
      3,
      "Namespace defines the space that the object lives in; empty for objects of the whole cluster. Cannot change.",
    ),
    selfLink: opt.string(4, "No longer filled in; kept for old clients."),
    uid: opt.named(
      "types.UID",
      5,
      "UID is set by the server. It tells apart objects that bore the same name at different times.",
    ),
    resourceVersion: opt.string(
      6,
      "Changes with every write; send it back to refuse an update of what others changed. Compare only for equality.",
    ),
    generation: opt.int64(7, "Set by the server: counts the changes of the desired state."),
    creationTimestamp: opt.time(
      8,
      "CreationTimestamp is a timestamp of the object's creation by the server, in UTC; clients cannot set it.",
      {
        omitZero: true,
      },
    ),
    deletionTimestamp: ptr.time(
      9,
      "DeletionTimestamp is set by a graceful delete: when the object is due to go. It stays until its finalizers are removed.",
    ),
    deletionGracePeriodSeconds: ptr.int64(
      10,
      "Number of seconds that the object gets to end once its deletion is requested; later requests can only shorten it.",
    ),
    labels: opt.map(
      "string",
      11,
      "Map of string keys and values by which objects are found and grouped; selectors match them.",
    ),
    annotations: opt.map(
      "string",
      12,
      "Annotations is a map of any further text, for tools and people; selectors do not see it.",
    ),
    ownerReferences: opt.listBy(
      "uid",
      ownerReference,
      13,
      "List of objects that this one depends on; it is collected when all of them are gone. At most one is the controller.",
    ),
    finalizers: opt.set(
      "string",
      14,
      "Must be empty before the object may go: names of tasks to do first; each is removed by whoever has done it, in any order.",
      { patchStrategy: ["merge"] },
    ),
    managedFields: opt.atomic(
      managedFieldsEntry,
      17,
      "ManagedFields maps managers to the fields that they have set; kept for server-side apply, rarely of use to people.",
    ),
  }),
);

const ownerReference = s.struct<OwnerReference>(
  "meta.v1.OwnerReference",
  "An object that this one belongs to; when all owners are gone, so is it. Owners are in the same namespace or in none.",
  { mapType: "atomic" },
  () => ({
    apiVersion: s.string(5, "The group and version of the owner."),
    kind: s.string(1, "The kind of the owner."),
    name: s.string(3, "The name of the owner."),
    uid: s.named("types.UID", 4, "The uid of the owner: a new object of the same name is not the owner."),
    controller: ptr.boolean(6, "True for the one owner that manages this object."),
    blockOwnerDeletion: ptr.boolean(
      7,
      "In a foreground deletion the owner stays until this object is gone. Setting it needs the right to change the owner's finalizers.",
    ),
  }),
);

const managedFieldsEntry = s.struct<ManagedFieldsEntry>(
  "meta.v1.ManagedFieldsEntry",
  "The fields that one manager has set.",
  {},
  () => ({
    manager: opt.string(1, "The name of the manager, given by the client or taken from its user agent."),
    operation: opt.named(
      "ManagedFieldsOperationType",
      2,
      "How the fields were set: Apply by server-side apply, Update by any other write.",
    ),
    apiVersion: opt.string(3, "The group and version in which the fields are written down here."),
    time: ptr.time(4, "When the manager last added, changed or gave up a field in this entry."),
    fieldsType: opt.string(6, "The format of the field set; always FieldsV1."),
    fieldsV1: ptr.anyObject(
      "fieldsV1",
      7,
      'The set of fields as a tree: "f:" before a field\'s name, "k:" a list item\'s keys, "v:" a value, "." the item itself.',
    ),
    subresource: opt.string(8, "The sub-resource through which the fields were written; empty for the object itself."),
  }),
);

interface ListMeta {
  selfLink?: string;
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

export const listMeta = s.struct<ListMeta>(
  "meta.v1.ListMeta",
  "What every list has: its version, and how to read on.",
  {},
  () => ({
    selfLink: opt.string(1, "No longer filled in; kept for old clients."),
    resourceVersion: opt.string(
      2,
      "The version at which the list was read; a watch may start from it. Compare only for equality.",
    ),
    continue: opt.string(
      3,
      "Set when there is more: pass it in the next request to read on at the same version. It expires after some minutes.",
    ),
    remainingItemCount: ptr.int64(
      4,
      "About how many items come after this page; absent on the last page and when selectors are used.",
    ),
  }),
);

/** Kind and apiVersion: flat in JSON; in protobuf they stand in the envelope, not in the object. */
export const typeMeta = s.struct("meta.v1.TypeMeta", "The kind and the version of an object.", () => ({
  kind: opt.string(
    1,
    "Kind is a string value that says what the object is, in CamelCase; cannot change. The server infers it from the path when it is not set.",
  ),
  apiVersion: opt.string(2, 'APIVersion defines the form in which the object is written: "group/version" or "v1".'),
}));
