// ResourceClaimTemplate: a template of claims, one for each pod.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { ALL_VERBS } from "../verbs.ts";
import { defaultClaim } from "./claim-defaults.ts";
import { resourceClaimTemplateSchema } from "./resource-claim-template-schema.ts";
import { validateClaimTemplate, validateClaimTemplateUpdate } from "./resource-claim-validation.ts";

export type { ResourceClaimTemplate } from "./resource-claim-template-schema.ts";

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
