// Is a binding of an admission policy well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import { type FieldError, forbiddenField, invalid, required } from "../../meta/field-error.ts";
import { dns1123SubdomainProblems, pathSegmentProblems } from "../../meta/name-formats.ts";
import { checkFields } from "../../schema/check-fields.ts";
import type { LabelSelector } from "../meta/label-selector.ts";
import { validateLabelSelector } from "../meta/selector-validation.ts";
import { paramRef } from "./match-resources.ts";
import { type Matching, matchResourcesErrors } from "./rule-validation.ts";

interface BindingSpec {
  readonly policyName?: string;
  readonly paramRef?: ParamRef | null;
  readonly matchResources?: Matching | null;
}

interface ParamRef {
  readonly name?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** What the bindings of both kinds of policies have. */
export function bindingErrors({ policyName = "", paramRef, matchResources }: BindingSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (policyName === "") errors.push(required("spec.policyName"));
  else
    for (const problem of dns1123SubdomainProblems(policyName))
      errors.push(invalid("spec.policyName", policyName, problem));
  if (paramRef != null) append(errors, paramRefErrors(paramRef, "spec.paramRef"));
  if (matchResources != null) append(errors, matchResourcesErrors(matchResources, "spec.matchResources"));
  return errors;
}

function paramRefErrors(ref: ParamRef, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const { name = "", selector } = ref;
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    for (const problem of pathSegmentProblems(name)) errors.push(invalid(`${path}.name`, name, problem));
    if (selector != null) errors.push(forbiddenField(`${path}.name`, exclusive));
  }
  if (selector != null) {
    append(errors, validateLabelSelector(selector, `${path}.selector`));
    if (name !== "") errors.push(forbiddenField(`${path}.selector`, exclusive));
  }
  if (name === "" && selector == null) errors.push(required(path, "one of name or selector must be specified"));
  checkFields(ref, paramRef, path, errors);
  return errors;
}
