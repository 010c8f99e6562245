// The schema of ResourceQuota.

import { type ObjectOf, opt, ptr, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type ResourceQuota = ObjectOf<typeof resourceQuotaSchema>;

export const resourceQuotaSchema = objectSchema(
  "core.v1.ResourceQuota",
  "The most that a namespace may use in all.",
  () => ({
    spec: opt.of(resourceQuotaSpec, 2, "The limits."),
    status: opt.of(resourceQuotaStatus, 3, "The limits in force, and what is used of them."),
  }),
);

export type ResourceQuotaSpec = ObjectOf<typeof resourceQuotaSpec>;

const resourceQuotaSpec = s.struct(
  "core.v1.ResourceQuotaSpec",
  "The limits of a quota, and for which objects they count.",
  () => ({
    hard: opt.map(
      "quantity",
      1,
      "The most of each resource, such as `requests.cpu`, `pods` or `count/<resource>.<group>`.",
      { alias: "ResourceList" },
    ),
    scopes: opt.atomic(
      s.enumValue([
        "BestEffort",
        "CrossNamespacePodAffinity",
        "NotBestEffort",
        "NotTerminating",
        "PriorityClass",
        "Terminating",
        "VolumeAttributesClass",
      ]),
      2,
      "Sorts of pods or claims to which the quota is restricted; all must match. Not set, everything counts.",
      { alias: "ResourceQuotaScope" },
    ),
    scopeSelector: ptr.of(scopeSelector, 3, "Like `scopes`, with values; both must match."),
  }),
);

export const scopeSelector = s.struct(
  "core.v1.ScopeSelector",
  "Selects the objects for which a quota counts.",
  { mapType: "atomic" },
  () => ({
    matchExpressions: opt.atomic(scopedResourceSelectorRequirement, 1, "Requirements, all of which must hold."),
  }),
);

const scopedResourceSelectorRequirement = s.struct(
  "core.v1.ScopedResourceSelectorRequirement",
  "A requirement for one scope.",
  () => ({
    scopeName: s.enumOf(
      "ResourceQuotaScope",
      [
        "BestEffort",
        "CrossNamespacePodAffinity",
        "NotBestEffort",
        "NotTerminating",
        "PriorityClass",
        "Terminating",
        "VolumeAttributesClass",
      ],
      1,
      "The scope. Only `PriorityClass` and `VolumeAttributesClass` have values.",
    ),
    operator: s.enumOf(
      "ScopeSelectorOperator",
      ["DoesNotExist", "Exists", "In", "NotIn"],
      2,
      "`In` and `NotIn` a list of values, `Exists` and `DoesNotExist` for the scope alone.",
    ),
    values: opt.atomic("string", 3, "At least one for `In` and `NotIn`, none for the others."),
  }),
);

const resourceQuotaStatus = s.struct(
  "core.v1.ResourceQuotaStatus",
  "The limits of a quota and what is used of them.",
  () => ({
    hard: opt.map("quantity", 1, "The limits that are enforced, by resource.", { alias: "ResourceList" }),
    used: opt.map("quantity", 2, "What is used in the namespace now, by resource.", { alias: "ResourceList" }),
  }),
);
