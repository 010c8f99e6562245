// The schema of ResourceClaimTemplate.

import { type ObjectOf, opt, s } from "../../schema/builder.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";

export type ResourceClaimTemplate = ObjectOf<typeof resourceClaimTemplateSchema>;

export const resourceClaimTemplateSchema = objectSchema(
  "resource.v1.ResourceClaimTemplate",
  "A template of claims, one for each pod.",
  () => ({
    spec: s.of(resourceClaimTemplateSpec, 2, "What the claims made from this template look like. Cannot be changed."),
  }),
);

export const resourceClaimTemplateSpec = s.struct(
  "resource.v1.ResourceClaimTemplateSpec",
  "What claims made from a template look like.",
  () => ({
    metadata: opt.of(objectMeta, 1, "Labels and annotations that the claims get; other members have no effect."),
    spec: s.of(resourceClaimSpec, 2, "The spec of the claims, taken over unchanged."),
  }),
);
