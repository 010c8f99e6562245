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
      { must: { listed: ["Exempt", "Limited"] } },
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

export const limitedPriorityLevelConfiguration = s.struct(
  "flowcontrol.v1.LimitedPriorityLevelConfiguration",
  "How much of the server a level may use, and what happens with requests beyond that.",
  () => ({
    nominalConcurrencyShares: shown.int32(
      1,
      "Share of the server's seats, relative to the shares of all levels. By default 30; 0 reserves none.",
      { pointer: true, must: SHARES },
    ),
    limitResponse: opt.of(limitResponse, 2, "What happens to requests that find no free seat."),
    lendablePercent: ptr.int32(
      3,
      "Percentage of the level's seats, 0 to 100, that other levels may use while idle. By default 0.",
      { must: PERCENT },
    ),
    borrowingLimitPercent: ptr.int32(
      4,
      "Most seats it may borrow from other levels, as a percentage of its own; when not set, no limit.",
      { must: { amount: atLeast(0, "if specified, must be a non-negative integer") } },
    ),
  }),
);

export type LimitResponse = ObjectOf<typeof limitResponse>;

export const limitResponse = s.struct(
  "flowcontrol.v1.LimitResponse",
  "What happens to requests that cannot run at once.",
  { unions: [{ discriminator: "type", fields: { queuing: "Queuing" } }] },
  () => ({
    type: s.named("LimitResponseType", 1, "Queue makes them wait, Reject answers them with status 429.", {
      must: { listed: ["Queue", "Reject"] },
    }),
    queuing: ptr.of(queuingConfiguration, 2, "Sizes of the queues; required when type is Queue, forbidden otherwise."),
  }),
);

export type QueuingConfiguration = ObjectOf<typeof queuingConfiguration>;

export const queuingConfiguration = s.struct(
  "flowcontrol.v1.QueuingConfiguration",
  "The queues of a level. Each flow is spread over a few of them, so that a busy flow delays few others.",
  () => ({
    queues: shown.int32(
      1,
      "Number of queues, by default 64. More separate flows better and use more memory; 1 disables the separation.",
      { must: { amount: queuesProblems } },
    ),
    handSize: shown.int32(
      2,
      "How many queues a flow may use; requests join the shortest of them. By default 8, never above queues.",
    ),
    queueLengthLimit: shown.int32(
      3,
      "How many requests may wait in one queue; further ones are refused. By default 50.",
      { must: { amount: atLeast(1, "must be positive") } },
    ),
  }),
);

export const exemptPriorityLevelConfiguration = s.struct(
  "flowcontrol.v1.ExemptPriorityLevelConfiguration",
  "What an exempt level reserves. Its requests are never held back, whatever is set here.",
  () => ({
    nominalConcurrencyShares: ptr.int32(
      1,
      "Share of the server's seats counted for the level, which leaves others less. By default 0.",
      { must: SHARES },
    ),
    lendablePercent: ptr.int32(
      2,
      "Percentage of those seats, 0 to 100, that other levels may use while idle. By default 0.",
      { must: PERCENT },
    ),
  }),
);

const MAX_QUEUES = 10_000_000;

const atLeast =
  (least: number, problem: string) =>
  (value: number | bigint): string[] =>
    value < least ? [problem] : [];

const SHARES = { amount: atLeast(0, "must be a non-negative integer") };
const PERCENT = { least: 0, most: 100 };

function queuesProblems(queues: number | bigint): string[] {
  if (queues <= 0) return ["must be positive"];
  return queues > MAX_QUEUES ? [`must not be greater than ${MAX_QUEUES}`] : [];
}
