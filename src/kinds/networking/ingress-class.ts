// IngressClass: which controller serves the Ingresses of this class.

import { opt, ptr, s, shown } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { validateIngressClass, validateIngressClassUpdate } from "./ingress-class-validation.ts";

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

export type IngressClassParametersReference = ObjectOf<typeof ingressClassParametersReference>;

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
