// What an IngressClass must look like. Requirements: document 3, "IngressClass", "Limits".

import { type FieldError, forbiddenField, invalid, notSupported, required, tooLong } from "../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import type { IngressClass, IngressClassParametersReference } from "./ingress-class.ts";
import { validateReference } from "./ingress-path-validation.ts";

const MAX_CONTROLLER_BYTES = 250;
const CONTROLLER_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

export function validateIngressClass({ spec }: IngressClass): FieldError[] {
  return [...validateController(spec.controller ?? ""), ...validateParameters(spec.parameters)];
}

export function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass): FieldError[] {
  const now = ingressClass.spec.controller ?? "";
  const changed = now !== (old.spec.controller ?? "");
  return [
    ...(changed ? [invalid("spec.controller", now, "field is immutable")] : []),
    ...validateIngressClass(ingressClass),
  ];
}

function validateController(controller: string): FieldError[] {
  const field = "spec.controller";
  const errors: FieldError[] = [];
  if (Buffer.byteLength(controller) > MAX_CONTROLLER_BYTES) errors.push(tooLong(field, MAX_CONTROLLER_BYTES));
  if (controller === "") return [...errors, required(field)];
  const slash = controller.indexOf("/");
  if (slash <= 0 || slash === controller.length - 1) {
    return [...errors, invalid(field, controller, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  }
  const host = controller.slice(0, slash);
  const path = controller.slice(slash + 1);
  for (const problem of dns1123SubdomainProblems(host)) errors.push(invalid(field, host, problem));
  if (!/^[A-Za-z0-9/\-._~%!$&'()*+,;=:]+$/.test(path)) {
    errors.push(invalid(field, path, `Invalid path (regex used for validation is '${CONTROLLER_PATH}')`));
  }
  return errors;
}

function validateParameters(parameters: IngressClassParametersReference | undefined | null): FieldError[] {
  if (!parameters) return [];
  const field = "spec.parameters";
  const errors = validateReference(parameters, field);
  const { scope, namespace } = parameters;
  if (scope === undefined || scope === null) return [...errors, required(`${field}.scope`)];
  if (scope === "Cluster") {
    if (namespace !== undefined)
      errors.push(forbiddenField(`${field}.namespace`, "`parameters.scope` is set to 'Cluster'"));
  } else if (scope !== "Namespace") {
    errors.push(notSupported(`${field}.scope`, scope, ["Cluster", "Namespace"]));
  } else if (namespace === undefined) {
    errors.push(required(`${field}.namespace`, "`parameters.scope` is set to 'Namespace'"));
  } else {
    for (const problem of dns1123LabelProblems(namespace))
      errors.push(invalid(`${field}.namespace`, namespace, problem));
  }
  return errors;
}
