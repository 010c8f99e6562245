// IngressClass: which controller serves the Ingresses of this class.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { validateIngressClass, validateIngressClassUpdate } from "./ingress-class-validation.ts";

export type IngressClass = ObjectOf<typeof ingressClassSchema>;

export const ingressClassSchema = objectSchema(
  "networking.v1.IngressClass",
  { doc: "Which controller serves the Ingresses of this class." },
  () => ({
    spec: s.of(ingressClassSpec, { proto: 2, optional: true, doc: "The controller of this class and its settings." }),
  }),
);

export const ingressClass = defineKind({
  group: "networking",
  version: "v1",
  kind: "IngressClass",
  resource: "ingressclasses",
  singular: "ingressclass",
  scope: "Cluster",
  verbs: ALL_VERBS,
  schema: ingressClassSchema,
  storagePrefix: "ingressclasses",
  unconditionalUpdate: true,
  generation: true,
  protobuf: true,
  name: "dns1123Subdomain",
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

export type IngressClassSpec = ObjectOf<typeof ingressClassSpec>;

export const ingressClassSpec = s.struct(
  "networking.v1.IngressClassSpec",
  { doc: "The controller of a class and where it finds its settings." },
  () => ({
    controller: s.string({
      proto: 1,
      optional: true,
      doc: "Names the controller as a path under a domain, such as example.com/gateway. Cannot be changed after creation.",
    }),
    parameters: s.of(ingressClassParametersReference, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Points to an object with settings for the controller; not needed when the controller has none.",
    }),
  }),
);

export type IngressClassParametersReference = ObjectOf<typeof ingressClassParametersReference>;

export const ingressClassParametersReference = s.struct(
  "networking.v1.IngressClassParametersReference",
  { doc: "Points to an object that holds the settings of a controller." },
  () => ({
    apiGroup: s.string({
      proto: 1,
      protoName: "aPIGroup",
      optional: true,
      pointer: true,
      doc: "API group of the object; when not set, the core group.",
    }),
    kind: s.string({ proto: 2, doc: "Kind of the object." }),
    name: s.string({ proto: 3, doc: "Name of the object." }),
    scope: s.string({
      proto: 4,
      required: false,
      pointer: true,
      doc: "Whether the object belongs to a namespace (Namespace) or to none (Cluster, the default).",
    }),
    namespace: s.string({
      proto: 5,
      optional: true,
      pointer: true,
      doc: "Namespace of the object: required when scope is Namespace, forbidden when it is Cluster.",
    }),
  }),
);
