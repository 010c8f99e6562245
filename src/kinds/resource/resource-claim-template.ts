// ResourceClaimTemplate: a template of claims, one for each pod.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { defaultClaim } from "./claim-defaults.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";
import { validateClaimTemplate, validateClaimTemplateUpdate } from "./resource-claim-validation.ts";

export type ResourceClaimTemplate = ObjectOf<typeof resourceClaimTemplateSchema>;

const resourceClaimTemplateSchema = objectSchema(
  "resource.v1.ResourceClaimTemplate",
  "A template of claims, one for each pod.",
  () => ({
    spec: s.of(resourceClaimTemplateSpec, 2, "What the claims made from this template look like. Cannot be changed."),
  }),
);

export const resourceClaimTemplate = defineKind({
  group: "resource",
  version: "v1",
  kind: "ResourceClaimTemplate",
  resource: "resourceclaimtemplates",
  scope: "Namespaced",
  schema: resourceClaimTemplateSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [NAME_COLUMN, AGE_COLUMN],
  hooks: {
    default({ spec }) {
      defaultClaim(spec.spec);
    },
    validate: validateClaimTemplate,
    validateUpdate: validateClaimTemplateUpdate,
  },
});

export const resourceClaimTemplateSpec = s.struct(
  "resource.v1.ResourceClaimTemplateSpec",
  "What claims made from a template look like.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels and annotations that the claims get; other members have no effect."),
    spec: s.of(resourceClaimSpec, 2, "The spec of the claims, taken over unchanged."),
  }),
);
