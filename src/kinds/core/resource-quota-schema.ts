// The schema of ResourceQuota.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ResourceQuota = ObjectOf<typeof resourceQuotaSchema>;

export const resourceQuotaSchema = objectSchema(
  "core.v1.ResourceQuota",
  { doc: "The most that a namespace may use in all." },
  () => ({
    spec: s.of(resourceQuotaSpec, { proto: 2, optional: true }),
    status: s.of(resourceQuotaStatus, { proto: 3, optional: true }),
  }),
);

export type ResourceQuotaSpec = ObjectOf<typeof resourceQuotaSpec>;

export const resourceQuotaSpec = s.struct("core.v1.ResourceQuotaSpec", () => ({
  hard: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
  scopes: s.list(
    s.enumValue([
      "BestEffort",
      "CrossNamespacePodAffinity",
      "NotBestEffort",
      "NotTerminating",
      "PriorityClass",
      "Terminating",
      "VolumeAttributesClass",
    ]),
    { alias: "ResourceQuotaScope", proto: 2, optional: true, listType: "atomic" },
  ),
  scopeSelector: s.of(scopeSelector, { proto: 3, optional: true, pointer: true }),
}));

export type ScopeSelector = ObjectOf<typeof scopeSelector>;

export const scopeSelector = s.struct("core.v1.ScopeSelector", { mapType: "atomic" }, () => ({
  matchExpressions: s.list(scopedResourceSelectorRequirement, { proto: 1, optional: true, listType: "atomic" }),
}));

export type ScopedResourceSelectorRequirement = ObjectOf<typeof scopedResourceSelectorRequirement>;

export const scopedResourceSelectorRequirement = s.struct("core.v1.ScopedResourceSelectorRequirement", () => ({
  scopeName: s.enumOf(
    [
      "BestEffort",
      "CrossNamespacePodAffinity",
      "NotBestEffort",
      "NotTerminating",
      "PriorityClass",
      "Terminating",
      "VolumeAttributesClass",
    ],
    { alias: "ResourceQuotaScope", proto: 1 },
  ),
  operator: s.enumOf(["DoesNotExist", "Exists", "In", "NotIn"], { alias: "ScopeSelectorOperator", proto: 2 }),
  values: s.list("string", { proto: 3, optional: true, listType: "atomic" }),
}));

export type ResourceQuotaStatus = ObjectOf<typeof resourceQuotaStatus>;

export const resourceQuotaStatus = s.struct("core.v1.ResourceQuotaStatus", () => ({
  hard: s.map("quantity", { alias: "ResourceList", proto: 1, optional: true }),
  used: s.map("quantity", { alias: "ResourceList", proto: 2, optional: true }),
}));
