// What the scheduler writes about pods: conditions, nominations, events, and the end of pods that make room for others.

import type { Clock } from "../base/clock.ts";
import { isApiError } from "../client/api-error.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../client/event-recorder.ts";
import { timeOfMs } from "../meta/time.ts";
import { DISRUPTION_CONDITION, PREEMPTION_REASON, type Victims } from "./preemption.ts";
import type { SchedulerMetrics } from "./scheduler-metrics.ts";
import type { PodInfo } from "./state/pod-info.ts";

interface ReportsParts {
  readonly client: Client;
  /** Events come from the profile of the pod. */
  readonly eventsOf: (info: PodInfo) => EventRecorder;
  readonly clock: Clock;
  readonly metrics: SchedulerMetrics;
}

export class Reports {
  readonly #parts: ReportsParts;

  constructor(parts: ReportsParts) {
    this.#parts = parts;
  }

  scheduled(info: PodInfo, nodeName: string): void {
    const message = `Successfully assigned ${info.key} to ${nodeName}`;
    this.#parts
      .eventsOf(info)
      .record(eventSubject(info), { type: "Normal", reason: "Scheduled", action: "Binding", message });
  }

  awaitsDevices(info: PodInfo, nodeName: string): void {
    this.#parts.eventsOf(info).record(eventSubject(info), {
      type: "Normal",
      reason: "BindingConditionsPending",
      action: "Scheduling",
      message: `waiting for binding conditions for device on node ${nodeName}`,
    });
  }

  /** Writes only what the pod does not say already. A nomination of undefined stays as it is, an empty one is taken away. */
  async notScheduled(
    info: PodInfo,
    reason: "Unschedulable" | "SchedulerError",
    message: string,
    nominatedNodeName: string | undefined,
  ): Promise<void> {
    const { client, eventsOf, clock } = this.#parts;
    const event = { type: "Warning", reason: "FailedScheduling", action: "Scheduling", message } as const;
    eventsOf(info).record(eventSubject(info), event);
    const { conditions, nominatedNodeName: nominated = "" } = info.pod.status;
    const known = conditions?.find(({ type }) => type === "PodScheduled");
    const isSaid = known?.status === "False" && known.reason === reason && known.message === message;
    const isNominated = nominatedNodeName === undefined || nominatedNodeName === nominated;
    if (isSaid && isNominated) return;
    const { generation } = info.pod.metadata;
    const condition = {
      type: "PodScheduled",
      ...(generation === undefined ? {} : { observedGeneration: generation }),
      status: "False",
      reason,
      message,
      lastProbeTime: null,
      lastTransitionTime: known?.status === "False" ? known.lastTransitionTime : timeOfMs(clock.nowMs()),
    };
    const nomination = isNominated ? {} : { nominatedNodeName: nominatedNodeName === "" ? null : nominatedNodeName };
    await this.#patchStatus(client, info, { ...(isSaid ? {} : conditionPatch(info, condition)), ...nomination });
  }

  async clearNomination(info: PodInfo): Promise<void> {
    if (!info.pod.status.nominatedNodeName) return;
    await this.#patchStatus(this.#parts.client, info, { nominatedNodeName: null });
  }

  /** Asks the victims to leave, in their own time. */
  async preempt({ pods, node }: Victims, preemptor: PodInfo): Promise<void> {
    const { client, eventsOf, clock } = this.#parts;
    await Promise.all(
      pods.map(async (victim) => {
        if (victim.isTerminating) return;
        const condition = {
          type: DISRUPTION_CONDITION,
          status: "True",
          reason: PREEMPTION_REASON,
          message: `${preemptor.pod.spec.schedulerName}: preempting to accommodate a higher priority pod`,
          lastProbeTime: null,
          lastTransitionTime: timeOfMs(clock.nowMs()),
          observedGeneration: victim.pod.metadata.generation,
        };
        await this.#patchStatus(client, victim, conditionPatch(victim, condition));
        try {
          await client.core.v1.pods(victim.namespace).delete(victim.name, { preconditions: { uid: victim.uid } });
        } catch (error) {
          if (isApiError(error, "NotFound", "Conflict")) return;
          throw error;
        }
        eventsOf(preemptor).record(eventSubject(victim), {
          type: "Normal",
          reason: "Preempted",
          action: "Preempting",
          message: `Preempted by pod ${preemptor.uid} on node ${node.name}`,
          related: eventSubject(preemptor),
        });
      }),
    );
  }

  async #patchStatus(client: Client, { namespace, name, uid }: PodInfo, status: object): Promise<void> {
    const { clock, metrics } = this.#parts;
    const patch = { strategic: { metadata: { uid }, status } as never };
    try {
      await metrics.called(
        "pod_status_patch",
        () => clock.monotonicMs(),
        () => client.core.v1.pods(namespace).status.patch(name, patch, { answer: "unread" }),
      );
    } catch (error) {
      // Gone, or another one of the same name.
      if (!isApiError(error, "NotFound", "Conflict")) throw error;
    }
  }
}

/** Of the status: conditions that are there keep their places, and a new one stands last, as upstream's. */
function conditionPatch({ pod }: PodInfo, condition: { readonly type: string }): object {
  const types = new Set([...(pod.status.conditions ?? []).map(({ type }) => type), condition.type]);
  return { conditions: [condition], "$setElementOrder/conditions": Array.from(types, (type) => ({ type })) };
}

/** What an event names. */
function eventSubject({ pod }: PodInfo) {
  return { ...pod, apiVersion: "v1", kind: "Pod" };
}
