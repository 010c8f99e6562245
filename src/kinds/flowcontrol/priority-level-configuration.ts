// PriorityLevelConfiguration: how many requests of one level run at a time, and how the rest waits.

import { AGE_COLUMN, NAME_COLUMN } from "../cells/age.ts";
import { defineKind } from "../define-kind.ts";
import { keepStatus, statusSubresource } from "../subresources.ts";
import type { PriorityLevelConfiguration } from "./priority-level-configuration-schema.ts";
import { priorityLevelConfigurationSchema } from "./priority-level-configuration-schema.ts";
import { defaultPriorityLevel } from "./priority-level-defaults.ts";
import { validatePriorityLevel } from "./priority-level-validation.ts";

export type { PriorityLevelConfiguration } from "./priority-level-configuration-schema.ts";

export const priorityLevelConfiguration = defineKind({
  group: "flowcontrol.apiserver",
  version: "v1",
  kind: "PriorityLevelConfiguration",
  resource: "prioritylevelconfigurations",
  scope: "Cluster",
  schema: priorityLevelConfigurationSchema,
  unconditionalUpdate: true,
  generation: true,
  columns: [
    NAME_COLUMN,
    { name: "Type", type: "string", cell: ({ spec }) => spec.type },
    {
      name: "NominalConcurrencyShares",
      type: "string",
      cell: ({ spec }) => (spec.limited ?? spec.exempt)?.nominalConcurrencyShares ?? "<none>",
    },
    { name: "Queues", type: "string", cell: (level) => queuing(level)?.queues ?? "<none>" },
    { name: "HandSize", type: "string", cell: (level) => queuing(level)?.handSize ?? "<none>" },
    { name: "QueueLengthLimit", type: "string", cell: (level) => queuing(level)?.queueLengthLimit ?? "<none>" },
    AGE_COLUMN,
  ],
  subresources: {
    status: {
      ...statusSubresource<PriorityLevelConfiguration>({
        keepMetadata: true,
        resetFields: [["metadata"], ["spec"]],
      }),
      validateUpdate: validatePriorityLevel,
    },
  },
  hooks: {
    default: defaultPriorityLevel,
    prepareForCreate(level) {
      level.status = {};
    },
    prepareForUpdate: keepStatus,
    validate: validatePriorityLevel,
    validateUpdate: validatePriorityLevel,
  },
});

const queuing = ({ spec }: PriorityLevelConfiguration) => spec.limited?.limitResponse.queuing;
