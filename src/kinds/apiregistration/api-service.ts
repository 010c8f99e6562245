// APIService: says which server serves a group and version of the API.

import { STORAGE_PREFIXES } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { APIService, APIServiceCondition } from "./api-service-schema.ts";
import { apiServiceSchema } from "./api-service-schema.ts";
import { validateApiService, validateApiServiceStatus } from "./api-service-validation.ts";

export type { APIService } from "./api-service-schema.ts";

export const apiService = defineKind({
  group: "apiregistration",
  version: "v1",
  kind: "APIService",
  resource: "apiservices",
  scope: "Cluster",
  categories: ["api-extensions"],
  schema: apiServiceSchema,
  storagePrefix: STORAGE_PREFIXES.apiServices,
  name: "pathSegment",
  columns: [
    NAME_COLUMN,
    {
      name: "Service",
      type: "string",
      cell: ({ spec: { service } }) => (service ? `${service.namespace ?? ""}/${service.name ?? ""}` : "Local"),
    },
    { name: "Available", type: "string", cell: availableCell },
    AGE_COLUMN,
  ],
  subresources: {
    status: { ...statusSubresource<APIService>({ keepMetadata: true }), validateUpdate: validateApiServiceStatus },
  },
  hooks: {
    default({ spec }) {
      if (spec.service) spec.service.port ??= 443;
    },
    prepareForCreate(apiService, { nowMs }) {
      apiService.status = {};
      if (!apiService.spec.service) apiService.status.conditions = [localCondition(nowMs)];
    },
    prepareForUpdate: keepStatus,
    validate: validateApiService,
    validateUpdate: validateApiService,
  },
});

function localCondition(nowMs: number): APIServiceCondition {
  return {
    type: "Available",
    status: "True",
    lastTransitionTime: timeOfMs(nowMs),
    reason: "Local",
    message: "Local APIServices are always available",
  };
}

function availableCell({ status }: APIService): string {
  const available = (status.conditions ?? []).find((condition) => condition.type === "Available");
  if (available === undefined) return "Unknown";
  return available.status === "True" || !available.reason
    ? available.status
    : `${available.status} (${available.reason})`;
}
