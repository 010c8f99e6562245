// ResourceClaimTemplate: a template of claims, one for each pod.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { defaultClaim } from "./claim-defaults.ts";
import { resourceClaimTemplateSchema } from "./resource-claim-template-schema.ts";
import { validateClaimTemplate, validateClaimTemplateUpdate } from "./resource-claim-validation.ts";

export type { ResourceClaimTemplate } from "./resource-claim-template-schema.ts";

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
