// ResourceClaimTemplate: a template of claims, one for each pod.

import { equalButEmptyLists } from "../../base/json.ts";
import type { Steps } from "../../base/steps.ts";
import { type FieldError, invalid } from "../../meta/field-error.ts";
import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind, type HookContext } from "../define-kind.ts";
import { internalForm } from "../meta/internal-form.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { checkTemplateMetadata, IMMUTABLE } from "../meta/value-checks.ts";
import { adminRequestErrors } from "./admin-access.ts";
import { defaultClaim } from "./claim-defaults.ts";
import { validateDeviceClaim } from "./device-claim-validation.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";

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

const resourceClaimTemplateSpec = s.struct(
  "resource.v1.ResourceClaimTemplateSpec",
  "What claims made from a template look like.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels and annotations that the claims get; other members have no effect."),
    spec: s.of(resourceClaimSpec, 2, "The spec of the claims, taken over unchanged."),
  }),
);

function* validateClaimTemplate(template: ResourceClaimTemplate, context: HookContext): Steps<FieldError[]> {
  const { metadata, spec } = template;
  return [
    ...adminRequestErrors(spec.spec.devices.requests, metadata.namespace, context),
    ...(yield* validateTemplate(template, false, context)),
  ];
}

function* validateClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  old: ResourceClaimTemplate,
  context: HookContext,
): Steps<FieldError[]> {
  const changed = !equalButEmptyLists(template.spec, old.spec);
  const wrong = changed ? [invalid("spec", internalForm(template.spec, resourceClaimTemplateSpec), IMMUTABLE)] : [];
  return [...wrong, ...(yield* validateTemplate(template, true, context))];
}

function* validateTemplate(
  { spec }: ResourceClaimTemplate,
  isStored: boolean,
  context: HookContext,
): Steps<FieldError[]> {
  const errors: FieldError[] = [];
  checkTemplateMetadata(spec.metadata, "spec.metadata", errors);
  return [...errors, ...(yield* validateDeviceClaim(spec.spec, "spec.spec", { ...context, isStored }))];
}
