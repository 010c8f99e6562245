// Schemas, levels and requests in short form, for tests of flow control.

import { targetOf } from "../apiserver/request-path.ts";
import { type Clock, systemClock } from "../base/clock.ts";
import type { FlowSchema } from "../kinds/flowcontrol/flow-schema.ts";
import type { FlowSchemaSpec } from "../kinds/flowcontrol/flow-schema-spec.ts";
import type { PriorityLevelConfigurationSpec } from "../kinds/flowcontrol/priority-level-spec.ts";
import type { UserInfo } from "../meta/user.ts";
import type { Target } from "../registry/request.ts";
import { FlowControl } from "./flow-control.ts";
import { FlowMetrics, type SeatRefusal } from "./flow-metrics.ts";
import { compileFlowSchema } from "./flow-schema-rules.ts";
import type { Seat } from "./priority-level.ts";

export const ANY_RESOURCE = {
  verbs: ["*"],
  apiGroups: ["*"],
  resources: ["*"],
  clusterScope: true,
  namespaces: ["*"],
};
export const ANY_PATH = { verbs: ["*"], nonResourceURLs: ["*"] };

type Rule = NonNullable<FlowSchemaSpec["rules"]>[number];

export const byUser = (name: string) => ({ kind: "User", user: { name } });
export const byGroup = (name: string) => ({ kind: "Group", group: { name } });
export const byAccount = (namespace: string, name: string) => ({
  kind: "ServiceAccount",
  serviceAccount: { namespace, name },
});

export function schemaOf(
  name: string,
  precedence: number,
  level: string,
  rules: Rule[],
  by?: "ByUser" | "ByNamespace",
): FlowSchema {
  return {
    metadata: { name, uid: `uid-${name}` },
    spec: {
      priorityLevelConfiguration: { name: level },
      matchingPrecedence: precedence,
      ...(by === undefined ? {} : { distinguisherMethod: { type: by } }),
      rules,
    },
    status: {},
  } as FlowSchema;
}

/** Everything that anybody asks for. */
export const everything = (name: string, level: string): FlowSchema =>
  schemaOf(
    name,
    100,
    level,
    [{ subjects: [byGroup("*")], resourceRules: [ANY_RESOURCE], nonResourceRules: [ANY_PATH] }],
    "ByUser",
  );

export function queueing(
  shares: number,
  more: { queues?: number; handSize?: number; length?: number; lendable?: number; borrowing?: number } = {},
): PriorityLevelConfigurationSpec {
  const { queues = 64, handSize = 4, length = 50, lendable = 0, borrowing } = more;
  return {
    type: "Limited",
    limited: {
      nominalConcurrencyShares: shares,
      lendablePercent: lendable,
      ...(borrowing === undefined ? {} : { borrowingLimitPercent: borrowing }),
      limitResponse: { type: "Queue", queuing: { queues, handSize, queueLengthLimit: length } },
    },
  };
}

export function controlOf(
  totalSeats: number,
  levels: Readonly<Record<string, PriorityLevelConfigurationSpec>>,
  schemas: readonly FlowSchema[],
  clock: Clock = systemClock,
): FlowControl {
  const control = new FlowControl({ totalSeats, maxWaitMs: 1_000, clock, metrics: new FlowMetrics(undefined) });
  for (const [name, spec] of Object.entries(levels)) control.setLevel(name, { name, uid: `uid-${name}`, spec });
  for (const schema of schemas) control.setSchema(schema.metadata.name ?? "", compileFlowSchema(schema));
  return control;
}

/** No share for the level that nobody uses, so that numbers are round. */
export const NO_CATCH_ALL: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  "catch-all": { type: "Limited", limited: { nominalConcurrencyShares: 0, limitResponse: { type: "Reject" } } },
};

export const userOf = (name: string, ...groups: string[]): UserInfo => ({ name, groups });

export function requestFor(method: string, url: string): Target {
  const [path = "", query] = url.split("?");
  return targetOf(method, path, { query: new URLSearchParams(query) })!;
}

/** Sends requests of users and lets them run until they are told to end. */
export class Stage {
  readonly control: FlowControl;
  /** Who runs, in the order in which they began. */
  readonly began: string[] = [];
  readonly refused: [user: string, why: SeatRefusal][] = [];
  readonly #seats: [user: string, seat: Seat][] = [];
  readonly #users = new Map<string, UserInfo>();

  constructor(control: FlowControl) {
    this.control = control;
  }

  send(user: string, url = "/api/v1/namespaces/default/pods", signal = new AbortController().signal): void {
    const known = this.#users.get(user) ?? userOf(user, "system:authenticated");
    this.#users.set(user, known);
    const flow = this.control.classify(known, requestFor("GET", url));
    const outcome = flow.level.take(flow, { signal });
    if (outcome instanceof Promise) void outcome.then((late) => this.#note(user, late));
    else this.#note(user, outcome);
  }

  sendMany(count: number, user: string, url?: string): void {
    for (let index = 0; index < count; index += 1) this.send(user, url);
  }

  /** Ends the request that runs the longest, of a user or of all. */
  async end(user?: string): Promise<void> {
    const at = user === undefined ? 0 : this.#seats.findIndex(([name]) => name === user);
    const [[, seat]] = this.#seats.splice(at, 1) as [[string, Seat]];
    seat.flow.level.leave(seat);
    await settled();
  }

  running(user?: string): number {
    return this.#seats.filter(([name]) => user === undefined || name === user).length;
  }

  #note(user: string, outcome: Seat | SeatRefusal): void {
    if (typeof outcome === "string") {
      this.refused.push([user, outcome]);
      return;
    }
    this.began.push(user);
    this.#seats.push([user, outcome]);
  }
}

/** Resolves when everything that was decided has been told. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
}
