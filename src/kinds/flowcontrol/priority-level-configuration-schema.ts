// The schema of PriorityLevelConfiguration.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type PriorityLevelConfiguration = ObjectOf<typeof priorityLevelConfigurationSchema>;

export const priorityLevelConfigurationSchema = objectSchema(
  "flowcontrol.v1.PriorityLevelConfiguration",
  { doc: "How many requests of one level run at a time, and how the rest waits." },
  () => ({
    spec: s.of(priorityLevelConfigurationSpec, { proto: 2, optional: true }),
    status: s.of(priorityLevelConfigurationStatus, { proto: 3, optional: true }),
  }),
);

export type PriorityLevelConfigurationSpec = ObjectOf<typeof priorityLevelConfigurationSpec>;

export const priorityLevelConfigurationSpec = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationSpec",
  { unions: [{ discriminator: "type", fields: { exempt: "Exempt", limited: "Limited" } }] },
  () => ({
    type: s.string({ alias: "PriorityLevelEnablement", proto: 1 }),
    limited: s.of(limitedPriorityLevelConfiguration, { proto: 2, optional: true, pointer: true }),
    exempt: s.of(exemptPriorityLevelConfiguration, { proto: 3, optional: true, pointer: true }),
  }),
);

export type LimitedPriorityLevelConfiguration = ObjectOf<typeof limitedPriorityLevelConfiguration>;

export const limitedPriorityLevelConfiguration = s.struct("flowcontrol.v1.LimitedPriorityLevelConfiguration", () => ({
  nominalConcurrencyShares: s.int32({ proto: 1, required: false, pointer: true }),
  limitResponse: s.of(limitResponse, { proto: 2, optional: true }),
  lendablePercent: s.int32({ proto: 3, optional: true, pointer: true }),
  borrowingLimitPercent: s.int32({ proto: 4, optional: true, pointer: true }),
}));

export type LimitResponse = ObjectOf<typeof limitResponse>;

export const limitResponse = s.struct(
  "flowcontrol.v1.LimitResponse",
  { unions: [{ discriminator: "type", fields: { queuing: "Queuing" } }] },
  () => ({
    type: s.string({ alias: "LimitResponseType", proto: 1 }),
    queuing: s.of(queuingConfiguration, { proto: 2, optional: true, pointer: true }),
  }),
);

export type QueuingConfiguration = ObjectOf<typeof queuingConfiguration>;

export const queuingConfiguration = s.struct("flowcontrol.v1.QueuingConfiguration", () => ({
  queues: s.int32({ proto: 1, required: false }),
  handSize: s.int32({ proto: 2, required: false }),
  queueLengthLimit: s.int32({ proto: 3, required: false }),
}));

export type ExemptPriorityLevelConfiguration = ObjectOf<typeof exemptPriorityLevelConfiguration>;

export const exemptPriorityLevelConfiguration = s.struct("flowcontrol.v1.ExemptPriorityLevelConfiguration", () => ({
  nominalConcurrencyShares: s.int32({ proto: 1, optional: true, pointer: true }),
  lendablePercent: s.int32({ proto: 2, optional: true, pointer: true }),
}));

export type PriorityLevelConfigurationStatus = ObjectOf<typeof priorityLevelConfigurationStatus>;

export const priorityLevelConfigurationStatus = s.struct("flowcontrol.v1.PriorityLevelConfigurationStatus", () => ({
  conditions: s.list(priorityLevelConfigurationCondition, {
    proto: 1,
    optional: true,
    listType: "map",
    mapKeys: ["type"],
    patchStrategy: ["merge"],
    patchMergeKey: "type",
  }),
}));

export type PriorityLevelConfigurationCondition = ObjectOf<typeof priorityLevelConfigurationCondition>;

export const priorityLevelConfigurationCondition = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationCondition",
  () => ({
    type: s.string({ alias: "PriorityLevelConfigurationConditionType", proto: 1, optional: true }),
    status: s.string({ alias: "ConditionStatus", proto: 2, optional: true }),
    lastTransitionTime: s.time({ proto: 3, required: false }),
    reason: s.string({ proto: 4, optional: true }),
    message: s.string({ proto: 5, optional: true }),
  }),
);
