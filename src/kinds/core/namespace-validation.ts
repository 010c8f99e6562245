// What a Namespace must look like. Requirements: document 1, "Namespaces".

import { type FieldError, invalid } from "../../meta/field-error.ts";
import { qualifiedNameProblems } from "../../meta/name-formats.ts";
import type { HookContext } from "../define-kind.ts";
import { addProblems } from "../meta/value-checks.ts";
import type { Namespace } from "./namespace.ts";

export function validateNamespace({ spec }: Namespace, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  for (const finalizer of spec.finalizers ?? []) checkFinalizer(finalizer, "spec.finalizers", context, errors);
  return errors;
}

/** The phase follows from whether the namespace is being deleted. */
export function validateNamespaceStatus({ metadata, status }: Namespace): FieldError[] {
  const field = "status.Phase";
  const phase = status.phase ?? "";
  if (metadata.deletionTimestamp === undefined) {
    return phase === "Active" ? [] : [invalid(field, phase, "may only be 'Active' if `deletionTimestamp` is empty")];
  }
  return phase === "Terminating"
    ? []
    : [invalid(field, phase, "may only be 'Terminating' if `deletionTimestamp` is not empty")];
}

export function validateNamespaceFinalize(namespace: Namespace, _old: Namespace, context: HookContext): FieldError[] {
  const errors: FieldError[] = [];
  (namespace.spec.finalizers ?? []).forEach((finalizer, index) => {
    checkFinalizer(finalizer, `spec.finalizers[${index}]`, context, errors);
  });
  return errors;
}

const STANDARD = ["orphan", "foregroundDeletion"];

function checkFinalizer(finalizer: string, field: string, { names }: HookContext, errors: FieldError[]): void {
  addProblems(errors, field, finalizer, qualifiedNameProblems(finalizer));
  if (finalizer.includes("/") || finalizer === names.namespaceFinalizer || STANDARD.includes(finalizer)) return;
  errors.push(invalid(field, finalizer, "name is neither a standard finalizer name nor is it fully qualified"));
}
