// What a role binding must look like. Requirements: document 2, "RBAC objects".

import { append } from "../../base/append.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, pathSegmentProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import type { RoleRef, Subject } from "./subject.ts";

interface Binding {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: RoleRef;
}

export function validateRoleBinding(binding: Binding, context: HookContext): FieldError[] {
  return validateBinding(binding, context, true);
}

export function validateClusterRoleBinding(binding: Binding, context: HookContext): FieldError[] {
  return validateBinding(binding, context, false);
}

/** A binding that pointed elsewhere would keep subjects that nobody chose for the new role. */
export function validateSameRole({ roleRef }: Binding, old: Binding): FieldError[] {
  const { apiGroup = "", kind = "", name = "" } = roleRef;
  if (apiGroup === old.roleRef.apiGroup && kind === old.roleRef.kind && name === old.roleRef.name) return [];
  return [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
}

function validateBinding({ roleRef, subjects }: Binding, { names }: HookContext, namespaced: boolean): FieldError[] {
  const group = names.group("rbac.authorization");
  const errors: FieldError[] = [];
  const { apiGroup = "", kind = "", name = "" } = roleRef;
  if (apiGroup !== group) errors.push(notSupported("roleRef.apiGroup", apiGroup, [group]));
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(kind)) errors.push(notSupported("roleRef.kind", kind, kinds));
  if (name === "") errors.push(required("roleRef.name"));
  else for (const problem of pathSegmentProblems(name)) errors.push(invalid("roleRef.name", name, problem));
  (subjects ?? []).forEach((subject, index) => {
    append(errors, validateSubject(subject, group, namespaced, `subjects[${index}]`));
  });
  return errors;
}

function validateSubject(subject: Subject, group: string, namespaced: boolean, field: string): FieldError[] {
  const { kind = "", name = "", apiGroup = "", namespace = "" } = subject;
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${field}.name`));
  switch (kind) {
    case "ServiceAccount":
      if (name !== "")
        for (const problem of dns1123SubdomainProblems(name)) errors.push(invalid(`${field}.name`, name, problem));
      if (apiGroup !== "") errors.push(notSupported(`${field}.apiGroup`, apiGroup, [""]));
      if (!namespaced && namespace === "") errors.push(required(`${field}.namespace`));
      break;
    case "User":
    case "Group":
      if (apiGroup !== group) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [group]));
      break;
    default:
      errors.push(notSupported(`${field}.kind`, kind, ["ServiceAccount", "User", "Group"]));
  }
  return errors;
}
