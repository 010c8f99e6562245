// The schema of PriorityLevelConfiguration.

import { type ObjectOf, s } from "../../schema/builder.ts";
import { objectSchema } from "../meta/object-schema.ts";

export type PriorityLevelConfiguration = ObjectOf<typeof priorityLevelConfigurationSchema>;

export const priorityLevelConfigurationSchema = objectSchema(
  "flowcontrol.v1.PriorityLevelConfiguration",
  { doc: "How many requests of one level run at a time, and how the rest waits." },
  () => ({
    spec: s.of(priorityLevelConfigurationSpec, { proto: 2, optional: true, doc: "The limits of the level." }),
    status: s.of(priorityLevelConfigurationStatus, {
      proto: 3,
      optional: true,
      doc: "How the server takes this level.",
    }),
  }),
);

export type PriorityLevelConfigurationSpec = ObjectOf<typeof priorityLevelConfigurationSpec>;

export const priorityLevelConfigurationSpec = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationSpec",
  {
    unions: [{ discriminator: "type", fields: { exempt: "Exempt", limited: "Limited" } }],
    doc: "Whether the requests of a level are limited, and how.",
  },
  () => ({
    type: s.string({
      alias: "PriorityLevelEnablement",
      proto: 1,
      doc: "Limited puts requests under the limits given here; Exempt runs them at once and is only for the level named exempt.",
    }),
    limited: s.of(limitedPriorityLevelConfiguration, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Limits and queues; required when type is Limited, forbidden otherwise.",
    }),
    exempt: s.of(exemptPriorityLevelConfiguration, {
      proto: 3,
      optional: true,
      pointer: true,
      doc: "What an exempt level reserves and lends; allowed only when type is Exempt.",
    }),
  }),
);

export type LimitedPriorityLevelConfiguration = ObjectOf<typeof limitedPriorityLevelConfiguration>;

export const limitedPriorityLevelConfiguration = s.struct(
  "flowcontrol.v1.LimitedPriorityLevelConfiguration",
  { doc: "How much of the server a level may use, and what happens with requests beyond that." },
  () => ({
    nominalConcurrencyShares: s.int32({
      proto: 1,
      required: false,
      pointer: true,
      doc: "Share of the server's seats, relative to the shares of all levels. By default 30; 0 reserves none.",
    }),
    limitResponse: s.of(limitResponse, {
      proto: 2,
      optional: true,
      doc: "What happens to requests that find no free seat.",
    }),
    lendablePercent: s.int32({
      proto: 3,
      optional: true,
      pointer: true,
      doc: "Percentage of the level's seats, 0 to 100, that other levels may use while idle. By default 0.",
    }),
    borrowingLimitPercent: s.int32({
      proto: 4,
      optional: true,
      pointer: true,
      doc: "Most seats it may borrow from other levels, as a percentage of its own; when not set, no limit.",
    }),
  }),
);

export type LimitResponse = ObjectOf<typeof limitResponse>;

export const limitResponse = s.struct(
  "flowcontrol.v1.LimitResponse",
  {
    unions: [{ discriminator: "type", fields: { queuing: "Queuing" } }],
    doc: "What happens to requests that cannot run at once.",
  },
  () => ({
    type: s.string({
      alias: "LimitResponseType",
      proto: 1,
      doc: "Queue makes them wait, Reject answers them with status 429.",
    }),
    queuing: s.of(queuingConfiguration, {
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Sizes of the queues; required when type is Queue, forbidden otherwise.",
    }),
  }),
);

export type QueuingConfiguration = ObjectOf<typeof queuingConfiguration>;

export const queuingConfiguration = s.struct(
  "flowcontrol.v1.QueuingConfiguration",
  { doc: "The queues of a level. Each flow is spread over a few of them, so that a busy flow delays few others." },
  () => ({
    queues: s.int32({
      proto: 1,
      required: false,
      doc: "Number of queues, by default 64. More separate flows better and use more memory; 1 disables the separation.",
    }),
    handSize: s.int32({
      proto: 2,
      required: false,
      doc: "How many queues a flow may use; requests join the shortest of them. By default 8, never above queues.",
    }),
    queueLengthLimit: s.int32({
      proto: 3,
      required: false,
      doc: "How many requests may wait in one queue; further ones are refused. By default 50.",
    }),
  }),
);

export type ExemptPriorityLevelConfiguration = ObjectOf<typeof exemptPriorityLevelConfiguration>;

export const exemptPriorityLevelConfiguration = s.struct(
  "flowcontrol.v1.ExemptPriorityLevelConfiguration",
  { doc: "What an exempt level reserves. Its requests are never held back, whatever is set here." },
  () => ({
    nominalConcurrencyShares: s.int32({
      proto: 1,
      optional: true,
      pointer: true,
      doc: "Share of the server's seats counted for the level, which leaves others less. By default 0.",
    }),
    lendablePercent: s.int32({
      proto: 2,
      optional: true,
      pointer: true,
      doc: "Percentage of those seats, 0 to 100, that other levels may use while idle. By default 0.",
    }),
  }),
);

export type PriorityLevelConfigurationStatus = ObjectOf<typeof priorityLevelConfigurationStatus>;

export const priorityLevelConfigurationStatus = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationStatus",
  { doc: "How the server takes a level." },
  () => ({
    conditions: s.list(priorityLevelConfigurationCondition, {
      proto: 1,
      optional: true,
      listType: "map",
      mapKeys: ["type"],
      patchStrategy: ["merge"],
      patchMergeKey: "type",
      doc: "Observations of the server about the level.",
    }),
  }),
);

export type PriorityLevelConfigurationCondition = ObjectOf<typeof priorityLevelConfigurationCondition>;

export const priorityLevelConfigurationCondition = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationCondition",
  { doc: "One observation about a priority level." },
  () => ({
    type: s.string({
      alias: "PriorityLevelConfigurationConditionType",
      proto: 1,
      optional: true,
      doc: "What is observed.",
    }),
    status: s.string({ alias: "ConditionStatus", proto: 2, optional: true, doc: "True, False or Unknown." }),
    lastTransitionTime: s.time({ proto: 3, required: false, doc: "When the status last became another one." }),
    reason: s.string({
      proto: 4,
      optional: true,
      doc: "Why the status is what it is, as one CamelCase word for programs.",
    }),
    message: s.string({ proto: 5, optional: true, doc: "What was observed, for people." }),
  }),
);
