// IPAddress: an address that is taken, and by whom.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, pathSegmentProblems } from "../../meta/name-formats.ts";
import { opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { IMMUTABLE } from "../meta/value-checks.ts";
import { canonicalIpProblems } from "./ip-fields.ts";

export type IPAddress = ObjectOf<typeof ipAddressSchema>;

const ipAddressSchema = objectSchema("networking.v1.IPAddress", "An address that is taken, and by whom.", () => ({
  spec: opt.of(ipAddressSpec, 2, "Who holds the address. The address itself is the name of this object."),
}));

export const ipAddress = defineKind({
  group: "networking",
  version: "v1",
  kind: "IPAddress",
  resource: "ipaddresses",
  scope: "Cluster",
  shortNames: ["ip"],
  schema: ipAddressSchema,
  unconditionalUpdate: true,
  name: canonicalIpProblems,
  generatesWholeName: true,
  columns: [NAME_COLUMN, { name: "ParentRef", type: "string", cell: parentCell }, { ...AGE_COLUMN, unannounced: true }],
  hooks: { validate: validateIPAddress, validateUpdate: validateIPAddressUpdate },
});

function parentCell({ spec: { parentRef } }: IPAddress): string {
  if (!parentRef) return "<none>";
  const group = parentRef.group ? `.${parentRef.group}` : "";
  const namespace = parentRef.namespace ? `/${parentRef.namespace}` : "";
  return `${`${parentRef.resource}${group}`.toLowerCase()}${namespace}/${parentRef.name}`;
}

const ipAddressSpec = s.struct("networking.v1.IPAddressSpec", "Who holds an address.", () => ({
  parentRef: s.of(
    parentReference,
    1,
    "The object that the address was given to, usually a service. Required, and cannot be changed.",
    { omitEmpty: true, pointer: true },
  ),
}));

const parentReference = s.struct("networking.v1.ParentReference", "The object that holds an address.", () => ({
  group: opt.string(1, "API group of the object; empty for the core group."),
  resource: s.string(2, "Resource of the object in plural, such as services.", { omitEmpty: true }),
  namespace: opt.string(3, "Namespace of the object; empty when it belongs to none."),
  name: s.string(4, "Name of the object.", { omitEmpty: true }),
}));

function validateIPAddress({ spec: { parentRef } }: IPAddress): FieldError[] {
  const field = "spec.parentRef";
  if (!parentRef) return [required(field)];
  const { group = "", resource = "", name = "", namespace = "" } = parentRef;
  const errors: FieldError[] = [];
  const check = (part: string, value: string, problems: string[]) =>
    append(
      errors,
      problems.map((problem) => invalid(`${field}.${part}`, value, problem)),
    );
  if (group !== "") check("group", group, dns1123SubdomainProblems(group));
  if (resource === "") errors.push(required(`${field}.resource`));
  else check("resource", resource, pathSegmentProblems(resource));
  if (name === "") errors.push(required(`${field}.name`));
  else check("name", name, pathSegmentProblems(name));
  if (namespace !== "") check("namespace", namespace, pathSegmentProblems(namespace));
  return errors;
}

function validateIPAddressUpdate(address: IPAddress, old: IPAddress): FieldError[] {
  const { parentRef } = address.spec;
  const errors: FieldError[] = [];
  if (!equalJson(parentRef, old.spec.parentRef)) {
    // Upstream shows its own form of the reference.
    const { group = "", resource = "", namespace = "", name = "" } = parentRef ?? {};
    const shown = parentRef ? { Group: group, Resource: resource, Namespace: namespace, Name: name } : null;
    errors.push(invalid("spec.parentRef", shown, IMMUTABLE));
  }
  return [...errors, ...validateIPAddress(address)];
}
