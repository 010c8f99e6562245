// How autoscalers name other objects.

import { type FieldError, invalid } from "../../meta/field-error.ts";
import { checkFields } from "../../schema/check-fields.ts";
import {
  type CrossVersionObjectReference,
  crossVersionObjectReference,
} from "./horizontal-pod-autoscaler/metric-source-schema.ts";

/** `anyGroup`: kinds of the core group may be meant, which are said without a group. */
export function checkTargetReference(
  reference: CrossVersionObjectReference,
  at: string,
  anyGroup: boolean,
  errors: FieldError[],
): void {
  checkFields(reference, crossVersionObjectReference, at, errors);
  const version = reference.apiVersion ?? "";
  const problem = versionProblem(version, anyGroup || reference.kind === "ReplicationController");
  if (problem !== undefined) errors.push(invalid(`${at}.apiVersion`, version, problem));
}

function versionProblem(apiVersion: string, anyGroup: boolean): string | undefined {
  const parts = apiVersion.split("/", 3);
  if (parts.length > 2) return `unexpected GroupVersion string: ${apiVersion}`;
  return (parts.length === 2 && parts[0] !== "") || anyGroup ? undefined : "apiVersion must specify API group";
}
