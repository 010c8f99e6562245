// What a priority level says: its share of the server, and what becomes of requests beyond it.

import { type ObjectOf, opt, ptr, s, shown } from "../../schema/builder.ts";

export type PriorityLevelConfigurationSpec = ObjectOf<typeof priorityLevelConfigurationSpec>;

export const priorityLevelConfigurationSpec = s.struct(
  "flowcontrol.v1.PriorityLevelConfigurationSpec",
  "Whether the requests of a level are limited, and how.",
  { unions: [{ discriminator: "type", fields: { exempt: "Exempt", limited: "Limited" } }] },
  () => ({
    type: s.named(
      "PriorityLevelEnablement",
      1,
      "Limited puts requests under the limits given here; Exempt runs them at once and is only for the level named exempt.",
    ),
    limited: ptr.of(
      limitedPriorityLevelConfiguration,
      2,
      "Limits and queues; required when type is Limited, forbidden otherwise.",
    ),
    exempt: ptr.of(
      exemptPriorityLevelConfiguration,
      3,
      "What an exempt level reserves and lends; allowed only when type is Exempt.",
    ),
  }),
);

export type LimitedPriorityLevelConfiguration = ObjectOf<typeof limitedPriorityLevelConfiguration>;

const limitedPriorityLevelConfiguration = s.struct(
  "flowcontrol.v1.LimitedPriorityLevelConfiguration",
  "How much of the server a level may use, and what happens with requests beyond that.",
  () => ({
    nominalConcurrencyShares: shown.int32(
      1,
      "Share of the server's seats, relative to the shares of all levels. By default 30; 0 reserves none.",
      { pointer: true },
    ),
    limitResponse: opt.of(limitResponse, 2, "What happens to requests that find no free seat."),
    lendablePercent: ptr.int32(
      3,
      "Percentage of the level's seats, 0 to 100, that other levels may use while idle. By default 0.",
    ),
    borrowingLimitPercent: ptr.int32(
      4,
      "Most seats it may borrow from other levels, as a percentage of its own; when not set, no limit.",
    ),
  }),
);

export type LimitResponse = ObjectOf<typeof limitResponse>;

const limitResponse = s.struct(
  "flowcontrol.v1.LimitResponse",
  "What happens to requests that cannot run at once.",
  { unions: [{ discriminator: "type", fields: { queuing: "Queuing" } }] },
  () => ({
    type: s.named("LimitResponseType", 1, "Queue makes them wait, Reject answers them with status 429."),
    queuing: ptr.of(queuingConfiguration, 2, "Sizes of the queues; required when type is Queue, forbidden otherwise."),
  }),
);

export type QueuingConfiguration = ObjectOf<typeof queuingConfiguration>;

const queuingConfiguration = s.struct(
  "flowcontrol.v1.QueuingConfiguration",
  "The queues of a level. Each flow is spread over a few of them, so that a busy flow delays few others.",
  () => ({
    queues: shown.int32(
      1,
      "Number of queues, by default 64. More separate flows better and use more memory; 1 disables the separation.",
    ),
    handSize: shown.int32(
      2,
      "How many queues a flow may use; requests join the shortest of them. By default 8, never above queues.",
    ),
    queueLengthLimit: shown.int32(
      3,
      "How many requests may wait in one queue; further ones are refused. By default 50.",
    ),
  }),
);

export type ExemptPriorityLevelConfiguration = ObjectOf<typeof exemptPriorityLevelConfiguration>;

const exemptPriorityLevelConfiguration = s.struct(
  "flowcontrol.v1.ExemptPriorityLevelConfiguration",
  "What an exempt level reserves. Its requests are never held back, whatever is set here.",
  () => ({
    nominalConcurrencyShares: ptr.int32(
      1,
      "Share of the server's seats counted for the level, which leaves others less. By default 0.",
    ),
    lendablePercent: ptr.int32(
      2,
      "Percentage of those seats, 0 to 100, that other levels may use while idle. By default 0.",
    ),
  }),
);
