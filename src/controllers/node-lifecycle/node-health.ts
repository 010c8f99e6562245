// Whether a node still speaks: by the heartbeats of its status and the renewals of its lease, as this process saw them
// come, so that clocks of other machines do not matter. Pure. Requirements: document 3, "Node status fields", "States".

import type { Lease } from "../../kinds/coordination/lease.ts";
import type { Node } from "../../kinds/core/node.ts";
import type { Names } from "../../meta/names.ts";

type NodeCondition = NonNullable<NonNullable<Node["status"]>["conditions"]>[number];

/** What was last seen of a node, and when: by the clock that never jumps. */
export interface NodeHealth {
  readonly uid: string;
  readonly heardMs: number;
  /** The time of the last heartbeat as the node wrote it; undefined when it has never reported. */
  readonly heartbeat: string | undefined;
  readonly renewal: string | undefined;
}

interface Moment {
  /** Since the epoch, to be compared with times that others wrote. */
  readonly nowMs: number;
  readonly monotonicMs: number;
}

export function readyOf({ status }: Node): NodeCondition | undefined {
  return (status?.conditions ?? []).find(({ type }) => type === "Ready");
}

/** What is known of the node now; a node that is looked at for the first time counts as just heard of. */
export function observeNode(
  before: NodeHealth | undefined,
  node: Node,
  lease: Lease | undefined,
  moment: Moment,
): NodeHealth {
  const { uid = "", creationTimestamp } = node.metadata;
  const ready = readyOf(node);
  const heartbeat = ready === undefined ? undefined : (ready.lastHeartbeatTime ?? "");
  const renewal = lease?.spec?.renewTime ?? undefined;
  if (before === undefined || before.uid !== uid) {
    // One that never reported is given the time since it was made.
    const ageMs = ready === undefined ? Math.max(0, moment.nowMs - Date.parse(creationTimestamp ?? "")) || 0 : 0;
    const heardMs = moment.monotonicMs - (renewal === undefined ? ageMs : 0);
    return { uid, heardMs, heartbeat, renewal };
  }
  const renewed = renewal !== undefined && renewal > (before.renewal ?? "");
  const spoke = heartbeat !== before.heartbeat || renewed;
  return { uid, heartbeat, renewal, heardMs: spoke ? moment.monotonicMs : before.heardMs };
}

/** What a node reports that it is not known of any more when it is silent. The network is not its own to judge. */
const REPORTED = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];

/** The conditions that change because the node is silent; none when they say so already. */
export function silentConditions(node: Node, now: string, { agentName }: Names): NodeCondition[] {
  const held = new Map((node.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  return REPORTED.flatMap((type): NodeCondition[] => {
    const condition = held.get(type);
    if (condition === undefined)
      return [
        {
          type,
          status: "Unknown",
          reason: "NodeStatusNeverUpdated",
          message: `${agentName} never posted node status.`,
          lastHeartbeatTime: node.metadata.creationTimestamp ?? null,
          lastTransitionTime: now,
        },
      ];
    if (condition.status === "Unknown") return [];
    return [
      {
        ...condition,
        status: "Unknown",
        reason: "NodeStatusUnknown",
        message: `${agentName} stopped posting node status.`,
        lastTransitionTime: now,
      },
    ];
  });
}
