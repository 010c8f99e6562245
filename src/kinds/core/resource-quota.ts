// ResourceQuota: the most that a namespace may use in all.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { quotaCell } from "../cells/quotas.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import { roundResourceList } from "./resource-list.ts";
import type { ResourceQuota } from "./resource-quota-schema.ts";
import { resourceQuotaSchema } from "./resource-quota-schema.ts";
import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "./resource-quota-validation.ts";

export type { ResourceQuota } from "./resource-quota-schema.ts";

export const resourceQuota = defineKind({
  group: "",
  version: "v1",
  kind: "ResourceQuota",
  resource: "resourcequotas",
  scope: "Namespaced",
  shortNames: ["quota"],
  schema: resourceQuotaSchema,
  unconditionalUpdate: true,
  returnDeletedObject: true,
  columns: [
    NAME_COLUMN,
    { name: "Request", type: "string", cell: (quota) => quotaCell(quota, "requests") },
    { name: "Limit", type: "string", cell: (quota) => quotaCell(quota, "limits") },
    AGE_COLUMN,
  ],
  subresources: { status: { ...statusSubresource<ResourceQuota>(), validateUpdate: validateResourceQuotaStatus } },
  hooks: {
    default({ spec, status }) {
      roundResourceList(spec.hard);
      roundResourceList(status.hard);
      roundResourceList(status.used);
    },
    prepareForCreate(quota) {
      quota.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateResourceQuota,
    validateUpdate: validateResourceQuotaUpdate,
  },
});
