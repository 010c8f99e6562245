// The schema of ResourceClaimTemplate.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectMeta } from "../meta/object-meta.ts";
import { objectSchema } from "../meta/object-schema.ts";
import { resourceClaimSpec } from "./resource-claim-spec.ts";

export type ResourceClaimTemplate = ObjectOf<typeof resourceClaimTemplateSchema>;

export const resourceClaimTemplateSchema = objectSchema(
  "resource.v1.ResourceClaimTemplate",
  { doc: "A template of claims, one for each pod." },
  () => ({
    spec: s.of(resourceClaimTemplateSpec, { proto: 2 }),
  }),
);

export type ResourceClaimTemplateSpec = ObjectOf<typeof resourceClaimTemplateSpec>;

export const resourceClaimTemplateSpec = s.struct("resource.v1.ResourceClaimTemplateSpec", () => ({
  metadata: s.of(objectMeta, { proto: 1, optional: true }),
  spec: s.of(resourceClaimSpec, { proto: 2 }),
}));
