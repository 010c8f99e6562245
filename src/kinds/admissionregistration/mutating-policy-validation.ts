// Is a mutating admission policy well-formed? In upstream's words.

import { append } from "../../base/append.ts";
import { equalJson } from "../../base/json.ts";
import { type FieldError, invalid, notSupported, required } from "../../meta/field-error.ts";
import { CONFIGURATION, PATCHES, type PolicyEnvironment } from "../../schema/policy-expressions.ts";
import type { HookContext } from "../define-kind.ts";
import { expressionErrors } from "./expression-validation.ts";
import type { MutatingAdmissionPolicy, Mutation } from "./mutating-admission-policy.ts";
import type { MutatingAdmissionPolicyBinding } from "./mutating-admission-policy-binding.ts";
import { bindingErrors } from "./policy-binding-validation.ts";
import { policyErrors } from "./policy-validation.ts";
import type { Matching } from "./rule-validation.ts";

const PATCH_TYPES = ["ApplyConfiguration", "JSONPatch"];
const REINVOCATION_POLICIES = ["IfNeeded", "Never"];
/** An object that goes away cannot be changed. */
const OPERATIONS = ["*", "CONNECT", "CREATE", "UPDATE"];

export function validateMutatingPolicy(
  { spec }: MutatingAdmissionPolicy,
  context: HookContext,
  old?: MutatingAdmissionPolicy,
): FieldError[] {
  const stored = old !== undefined && equalJson(spec, old.spec);
  const { environment, errors } = policyErrors(spec, stored, context, textsOf(spec));
  append(errors, operationErrors(spec.matchConstraints, "spec.matchConstraints"));
  if ((spec.mutations ?? []).length === 0)
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  (spec.mutations ?? []).forEach((mutation, index) => {
    append(errors, mutationErrors(mutation, `spec.mutations[${index}]`, environment));
  });
  const { reinvocationPolicy = "" } = spec;
  if (reinvocationPolicy === "") errors.push(required("spec.reinvocationPolicy"));
  else if (!REINVOCATION_POLICIES.includes(reinvocationPolicy))
    errors.push(notSupported("spec.reinvocationPolicy", reinvocationPolicy, REINVOCATION_POLICIES));
  return errors;
}

function textsOf({ mutations, variables }: MutatingAdmissionPolicy["spec"]): string[] {
  return [
    ...(mutations ?? []).map(
      ({ jsonPatch, applyConfiguration }) => (jsonPatch ?? applyConfiguration)?.expression ?? "",
    ),
    ...(variables ?? []).map(({ expression }) => expression),
  ];
}

export function validateMutatingBinding({ spec }: MutatingAdmissionPolicyBinding): FieldError[] {
  return [...bindingErrors(spec), ...operationErrors(spec.matchResources, "spec.matchResources")];
}

function operationErrors(match: Matching | null | undefined, path: string): FieldError[] {
  return (match?.resourceRules ?? []).flatMap((rule) =>
    (rule.operations ?? [])
      .filter((operation) => !OPERATIONS.includes(operation))
      .map((operation) => notSupported(`${path}.resourceRules.operations`, operation, OPERATIONS)),
  );
}

function mutationErrors(mutation: Mutation, path: string, environment: PolicyEnvironment): FieldError[] {
  const { patchType, jsonPatch, applyConfiguration } = mutation;
  const expression = (what: { expression?: string }, at: string, wanted: typeof PATCHES): FieldError[] => {
    if ((what.expression ?? "").trim() === "") return [required(`${at}.expression`)];
    return expressionErrors(environment, what.expression!, `${at}.expression`, wanted);
  };
  switch (patchType as string) {
    case "JSONPatch":
      return [
        ...(jsonPatch == null
          ? [required(`${path}.jsonPatch`, "must be specified when patchType is JSONPatch")]
          : expression(jsonPatch, `${path}.jsonPatch`, PATCHES)),
        ...(applyConfiguration == null
          ? []
          : [
              invalid(
                `${path}.applyConfiguration`,
                "{applyConfiguration}",
                "must not be specified when patchType is JSONPatch",
              ),
            ]),
      ];
    case "ApplyConfiguration":
      return [
        ...(applyConfiguration == null
          ? [required(`${path}.applyConfiguration`, "must be specified when patchType is ApplyConfiguration")]
          : expression(applyConfiguration, `${path}.applyConfiguration`, CONFIGURATION)),
        ...(jsonPatch == null
          ? []
          : [
              invalid(`${path}.jsonPatch`, "{jsonPatch}", "must not be specified when patchType is ApplyConfiguration"),
            ]),
      ];
    case "":
      return [required(`${path}.patchType`)];
    default:
      return [notSupported(`${path}.patchType`, patchType, PATCH_TYPES)];
  }
}
