// IPAddress: an address that is taken, and by whom.

import { s } from "../../schema/builder.ts";
import { NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateIPAddress, validateIPAddressUpdate } from "./address-validation.ts";
import { canonicalIpProblems } from "./ip-fields.ts";

export type IPAddress = ObjectOf<typeof ipAddressSchema>;

export const ipAddressSchema = objectSchema(
  "networking.v1.IPAddress",
  { doc: "An address that is taken, and by whom." },
  () => ({
    spec: s.of(ipAddressSpec, {
      proto: 2,
      optional: true,
      doc: "Who holds the address. The address itself is the name of this object.",
    }),
  }),
);

export const ipAddress = defineKind({
  group: "networking",
  version: "v1",
  kind: "IPAddress",
  resource: "ipaddresses",
  singular: "ipaddress",
  scope: "Cluster",
  shortNames: ["ip"],
  verbs: ALL_VERBS,
  schema: ipAddressSchema,
  storagePrefix: "ipaddresses",
  unconditionalUpdate: true,
  protobuf: true,
  name: canonicalIpProblems,
  columns: [NAME_COLUMN, { name: "ParentRef", type: "string", cell: parentCell }],
  hooks: { validate: validateIPAddress, validateUpdate: validateIPAddressUpdate },
});

function parentCell({ spec: { parentRef } }: IPAddress): string {
  if (!parentRef) return "<none>";
  const group = parentRef.group ? `.${parentRef.group}` : "";
  const namespace = parentRef.namespace ? `/${parentRef.namespace}` : "";
  return `${parentRef.resource}${group}${namespace}/${parentRef.name}`;
}

export type IPAddressSpec = ObjectOf<typeof ipAddressSpec>;

export const ipAddressSpec = s.struct("networking.v1.IPAddressSpec", { doc: "Who holds an address." }, () => ({
  parentRef: s.of(parentReference, {
    proto: 1,
    omitEmpty: true,
    pointer: true,
    doc: "The object that the address was given to, usually a service. Required, and cannot be changed.",
  }),
}));

export type ParentReference = ObjectOf<typeof parentReference>;

export const parentReference = s.struct(
  "networking.v1.ParentReference",
  { doc: "The object that holds an address." },
  () => ({
    group: s.string({ proto: 1, optional: true, doc: "API group of the object; empty for the core group." }),
    resource: s.string({ proto: 2, omitEmpty: true, doc: "Resource of the object in plural, such as services." }),
    namespace: s.string({ proto: 3, optional: true, doc: "Namespace of the object; empty when it belongs to none." }),
    name: s.string({ proto: 4, omitEmpty: true, doc: "Name of the object." }),
  }),
);
