// The schema of ResourceQuota.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ResourceQuota = ObjectOf<typeof resourceQuotaSchema>;

export const resourceQuotaSchema = objectSchema(
  "core.v1.ResourceQuota",
  { doc: "The most that a namespace may use in all." },
  () => ({
    spec: s.of(resourceQuotaSpec, { proto: 2, optional: true, doc: "The limits." }),
    status: s.of(resourceQuotaStatus, {
      proto: 3,
      optional: true,
      doc: "The limits in force, and what is used of them.",
    }),
  }),
);

export type ResourceQuotaSpec = ObjectOf<typeof resourceQuotaSpec>;

export const resourceQuotaSpec = s.struct(
  "core.v1.ResourceQuotaSpec",
  { doc: "The limits of a quota, and for which objects they count." },
  () => ({
    hard: s.map("quantity", {
      alias: "ResourceList",
      proto: 1,
      optional: true,
      doc: "The most of each resource, such as `requests.cpu`, `pods` or `count/<resource>.<group>`.",
    }),
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
      {
        alias: "ResourceQuotaScope",
        proto: 2,
        optional: true,
        listType: "atomic",
        doc: "Sorts of pods or claims to which the quota is restricted; all must match. Not set, everything counts.",
      },
    ),
    scopeSelector: s.of(scopeSelector, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Like `scopes`, with values; both must match.",
    }),
  }),
);

export type ScopeSelector = ObjectOf<typeof scopeSelector>;

export const scopeSelector = s.struct(
  "core.v1.ScopeSelector",
  { doc: "Selects the objects for which a quota counts.", mapType: "atomic" },
  () => ({
    matchExpressions: s.list(scopedResourceSelectorRequirement, {
      proto: 1,
      optional: true,
      listType: "atomic",
      doc: "Requirements, all of which must hold.",
    }),
  }),
);

export type ScopedResourceSelectorRequirement = ObjectOf<typeof scopedResourceSelectorRequirement>;

export const scopedResourceSelectorRequirement = s.struct(
  "core.v1.ScopedResourceSelectorRequirement",
  { doc: "A requirement for one scope." },
  () => ({
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
      {
        alias: "ResourceQuotaScope",
        proto: 1,
        doc: "The scope. Only `PriorityClass` and `VolumeAttributesClass` have values.",
      },
    ),
    operator: s.enumOf(["DoesNotExist", "Exists", "In", "NotIn"], {
      alias: "ScopeSelectorOperator",
      proto: 2,
      doc: "`In` and `NotIn` a list of values, `Exists` and `DoesNotExist` for the scope alone.",
    }),
    values: s.list("string", {
      proto: 3,
      optional: true,
      listType: "atomic",
      doc: "At least one for `In` and `NotIn`, none for the others.",
    }),
  }),
);

export type ResourceQuotaStatus = ObjectOf<typeof resourceQuotaStatus>;

export const resourceQuotaStatus = s.struct(
  "core.v1.ResourceQuotaStatus",
  { doc: "The limits of a quota and what is used of them." },
  () => ({
    hard: s.map("quantity", {
      alias: "ResourceList",
      proto: 1,
      optional: true,
      doc: "The limits that are enforced, by resource.",
    }),
    used: s.map("quantity", {
      alias: "ResourceList",
      proto: 2,
      optional: true,
      doc: "What is used in the namespace now, by resource.",
    }),
  }),
);
