// FlowSchema: which requests belong to which priority level.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { FlowSchema } from "./flow-schema-schema.ts";
import { flowSchemaSchema } from "./flow-schema-schema.ts";
import { validateFlowSchema } from "./flow-schema-validation.ts";

export type { FlowSchema } from "./flow-schema-schema.ts";

export const flowSchema = defineKind({
  group: "flowcontrol.apiserver",
  version: "v1",
  kind: "FlowSchema",
  resource: "flowschemas",
  scope: "Cluster",
  schema: flowSchemaSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "PriorityLevel", type: "string", cell: ({ spec }) => spec.priorityLevelConfiguration.name },
    { name: "MatchingPrecedence", type: "string", cell: ({ spec }) => spec.matchingPrecedence },
    { name: "DistinguisherMethod", type: "string", cell: ({ spec }) => spec.distinguisherMethod?.type ?? "<none>" },
    AGE_COLUMN,
    { name: "MissingPL", type: "string", cell: missingLevelCell },
  ],
  subresources: {
    status: {
      ...statusSubresource<FlowSchema>({ keepMetadata: true, resetFields: [["metadata"], ["spec"]] }),
      validateUpdate: validateFlowSchema,
    },
  },
  hooks: {
    default({ spec }) {
      spec.matchingPrecedence ||= 1000;
    },
    prepareForCreate(schema) {
      schema.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validateFlowSchema,
    validateUpdate: validateFlowSchema,
  },
});

function missingLevelCell({ status }: FlowSchema): string {
  return (status.conditions ?? []).find((condition) => condition.type === "Dangling")?.status ?? "?";
}
