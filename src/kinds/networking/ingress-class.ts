// IngressClass: which controller serves the Ingresses of this class.
// Requirements: document 3, "IngressClass", "Limits".

import { type FieldError, forbiddenField, invalid, notSupported, required, tooLong } from "../../meta/field-error.ts";
import { dns1123LabelProblems, dns1123SubdomainProblems } from "../../meta/name-formats.ts";
import { opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateReference } from "./ingress-path-validation.ts";

export type IngressClass = ObjectOf<typeof ingressClassSchema>;

const ingressClassSchema = objectSchema(
  "networking.v1.IngressClass",
  "Which controller serves the Ingresses of this class.",
  () => ({
    spec: opt.of(ingressClassSpec, 2, "The controller of this class and its settings."),
  }),
);

export const ingressClass = defineKind({
  group: "networking",
  version: "v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  scope: "Cluster",
  schema: ingressClassSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Controller", type: "string", cell: (ingressClass) => ingressClass.spec.controller ?? "" },
    { name: "Parameters", type: "string", cell: parametersCell },
    AGE_COLUMN,
  ],
  hooks: {
    default({ spec }) {
      if (spec.parameters) spec.parameters.scope ??= "Cluster";
    },
    validate: validateIngressClass,
    validateUpdate: validateIngressClassUpdate,
  },
});

function parametersCell({ spec: { parameters } }: IngressClass): string {
  if (!parameters) return "<none>";
  const group = parameters.apiGroup ? `.${parameters.apiGroup}` : "";
  return `${parameters.kind}${group}/${parameters.name}`;
}

const ingressClassSpec = s.struct(
  "networking.v1.IngressClassSpec",
  "The controller of a class and where it finds its settings.",
  () => ({
    controller: opt.string(
      1,
      "Names the controller as a path under a domain, such as example.com/gateway. Cannot be changed after creation.",
    ),
    parameters: ptr.of(
      ingressClassParametersReference,
      2,
      "Points to an object with settings for the controller; not needed when the controller has none.",
    ),
  }),
);

type IngressClassParametersReference = ObjectOf<typeof ingressClassParametersReference>;

const ingressClassParametersReference = s.struct(
  "networking.v1.IngressClassParametersReference",
  "Points to an object that holds the settings of a controller.",
  () => ({
    apiGroup: ptr.string(1, "API group of the object; when not set, the core group.", { protoName: "aPIGroup" }),
    kind: s.string(2, "Kind of the object."),
    name: s.string(3, "Name of the object."),
    scope: shown.string(4, "Whether the object belongs to a namespace (Namespace) or to none (Cluster, the default).", {
      pointer: true,
    }),
    namespace: ptr.string(
      5,
      "Namespace of the object: required when scope is Namespace, forbidden when it is Cluster.",
    ),
  }),
);

const MAX_CONTROLLER_BYTES = 250;
const CONTROLLER_PATH = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";

function validateIngressClass({ spec }: IngressClass): FieldError[] {
  return [...validateController(spec.controller ?? ""), ...validateParameters(spec.parameters)];
}

function validateIngressClassUpdate(ingressClass: IngressClass, old: IngressClass): FieldError[] {
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
