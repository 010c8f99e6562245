// What a role binding must look like. Requirements: document 2, "RBAC objects".

import { append } from "../../base/append.ts";
import { Pace, type Steps } from "../../base/steps.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
import type { HookContext } from "../define-kind.ts";
import { addProblems } from "../meta/value-checks.ts";
import { type RoleRef, roleRef, type Subject, subject } from "./subject.ts";

interface Binding {
  readonly subjects?: readonly Subject[] | null;
  readonly roleRef: RoleRef;
}

export function validateRoleBinding(binding: Binding, context: HookContext): Steps<FieldError[]> {
  return validateBinding(binding, context, true);
}

export function validateClusterRoleBinding(binding: Binding, context: HookContext): Steps<FieldError[]> {
  return validateBinding(binding, context, false);
}

/** Upstream judges an update as an object and as a change: what is wrong stands there twice. */
export function* validateBindingUpdate(
  judging: Steps<FieldError[]>,
  binding: Binding,
  old: Binding,
): Steps<FieldError[]> {
  const errors = yield* judging;
  return [errors, errors, validateSameRole(binding, old)].flat();
}

/** A binding that pointed elsewhere would keep subjects that nobody chose for the new role. */
export function validateSameRole(binding: Binding, old: Binding): FieldError[] {
  const { apiGroup = "", kind = "", name = "" } = binding.roleRef;
  if (apiGroup === old.roleRef.apiGroup && kind === old.roleRef.kind && name === old.roleRef.name) return [];
  return [invalid("roleRef", { APIGroup: apiGroup, Kind: kind, Name: name }, "cannot change roleRef")];
}

const SUBJECTS_PER_STEP = 100;

function* validateBinding(binding: Binding, { names }: HookContext, namespaced: boolean): Steps<FieldError[]> {
  const group = names.group("rbac.authorization");
  const errors: FieldError[] = [];
  const { apiGroup = "", kind = "" } = binding.roleRef;
  if (apiGroup !== group) errors.push(notSupported("roleRef.apiGroup", apiGroup, [group]));
  const kinds = namespaced ? ["Role", "ClusterRole"] : ["ClusterRole"];
  if (!kinds.includes(kind)) errors.push(notSupported("roleRef.kind", kind, kinds));
  checkFields(binding.roleRef, roleRef, "roleRef", errors);
  const pace = new Pace(SUBJECTS_PER_STEP);
  for (const [index, given] of (binding.subjects ?? []).entries()) {
    if (pace.due()) yield;
    append(errors, validateSubject(given, group, namespaced, `subjects[${index}]`));
  }
  return errors;
}

function validateSubject(given: Subject, group: string, namespaced: boolean, field: string): FieldError[] {
  const { kind = "", name = "", apiGroup = "", namespace = "" } = given;
  const errors = fieldErrors(given, subject, field, ["name"]);
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") addProblems(errors, `${field}.name`, name, dns1123SubdomainProblems(name));
      if (apiGroup !== "") errors.push(notSupported(`${field}.apiGroup`, apiGroup, [""]));
      if (!namespaced && namespace === "") errors.push(required(`${field}.namespace`));
      break;
    case "User":
    case "Group":
      if (apiGroup !== group) errors.push(notSupported(`${field}.apiGroup`, apiGroup, [group]));
      break;
    default:
      checkFields(given, subject, field, errors, ["kind"]);
  }
  return errors;
}
