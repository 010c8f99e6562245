// Is a binding of an admission policy well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import type { Pace, Steps } from "../../base/steps.ts";
import { type FieldError, forbiddenField, required } from "../../meta/field-error.ts";
import { checkFields, fieldErrors } from "../../schema/check-fields.ts";
import type { StructSchema } from "../../schema/schema.ts";
import type { LabelSelector } from "../meta/label-selector.ts";
import { validateLabelSelectorInSteps } from "../meta/selector-validation.ts";
import { paramRef } from "./match-resources.ts";
import { judgingPace, type Matching, matchResourcesErrors } from "./rule-validation.ts";

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
export function* bindingErrors(spec: BindingSpec, struct: StructSchema): Steps<FieldError[]> {
  const pace = judgingPace();
  const { paramRef: params, matchResources } = spec;
  const errors = fieldErrors(spec, struct, "spec", ["policyName"]);
  if (params != null) append(errors, yield* paramRefErrors(params, "spec.paramRef", pace));
  if (matchResources != null) append(errors, yield* matchResourcesErrors(matchResources, "spec.matchResources", pace));
  return errors;
}

function* paramRefErrors(ref: ParamRef, path: string, pace: Pace): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  const { name = "", selector } = ref;
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    checkFields(ref, paramRef, path, errors, ["name"]);
    if (selector != null) errors.push(forbiddenField(`${path}.name`, exclusive));
  }
  if (selector != null) {
    append(errors, yield* validateLabelSelectorInSteps(selector, `${path}.selector`, pace));
    if (name !== "") errors.push(forbiddenField(`${path}.selector`, exclusive));
  }
  if (name === "" && selector == null) errors.push(required(path, "one of name or selector must be specified"));
  checkFields(ref, paramRef, path, errors, ["parameterNotFoundAction"]);
  return errors;
}
