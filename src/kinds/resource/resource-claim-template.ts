// ResourceClaimTemplate: a template of claims, one for each pod.

import { s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type ObjectOf } from "../define-kind.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { ALL_VERBS } from "../verbs.ts";
import { defaultClaim } from "./claim-defaults.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";
import { validateClaimTemplate, validateClaimTemplateUpdate } from "./resource-claim-validation.ts";

export type ResourceClaimTemplate = ObjectOf<typeof resourceClaimTemplateSchema>;

export const resourceClaimTemplateSchema = objectSchema(
  "resource.v1.ResourceClaimTemplate",
  { doc: "A template of claims, one for each pod." },
  () => ({
    spec: s.of(resourceClaimTemplateSpec, { proto: 2 }),
  }),
);

export const resourceClaimTemplate = defineKind({
  group: "resource",
  version: "v1",
  kind: "ResourceClaimTemplate",
  resource: "resourceclaimtemplates",
  singular: "resourceclaimtemplate",
  scope: "Namespaced",
  verbs: ALL_VERBS,
  schema: resourceClaimTemplateSchema,
  storagePrefix: "resourceclaimtemplates",
  unconditionalUpdate: true,
  returnDeletedObject: true,
  protobuf: true,
  name: "dns1123Subdomain",
  columns: [NAME_COLUMN, AGE_COLUMN],
  hooks: {
    default({ spec }) {
      defaultClaim(spec.spec);
    },
    validate: validateClaimTemplate,
    validateUpdate: validateClaimTemplateUpdate,
  },
});

export type ResourceClaimTemplateSpec = ObjectOf<typeof resourceClaimTemplateSpec>;

export const resourceClaimTemplateSpec = s.struct("resource.v1.ResourceClaimTemplateSpec", () => ({
  metadata: s.of(objectMeta, { proto: 1, optional: true }),
  spec: s.of(resourceClaimSpec, { proto: 2 }),
}));
