// What a ReplicaSet or ReplicationController says of its pods.

import { equalJson } from "../../base/json.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import { isAvailable, isReady } from "../pods-of-owner/pod-state.ts";
import { type ReplicaStatus, type Replicated, wantedReplicas } from "./replicated.ts";

const REPLICA_FAILURE = "ReplicaFailure";

interface ReplicaCounts {
  readonly activePods: readonly Pod[];
  /** How many pods end; undefined where nobody asks. */
  readonly terminating: number | undefined;
  /** Why pods could not be created or deleted. */
  readonly failure: string | undefined;
  /** Whether pods have just been created or deleted that are not counted yet: when they are seen, all is told again. */
  readonly moving?: boolean;
  readonly nowMs: number;
}

/** The new status; undefined when the old one says it all. */
export function replicaStatus(
  set: Replicated,
  { activePods, terminating, failure, moving = false, nowMs }: ReplicaCounts,
): ReplicaStatus | undefined {
  const { metadata, spec, status } = set;
  const templateLabels = Object.entries(spec.template?.metadata.labels ?? {});
  const carriesAll = ({ metadata: { labels = {} } }: Pod) =>
    templateLabels.every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
  const minReadySeconds = spec.minReadySeconds ?? 0;
  const terminatingReplicas = terminating ?? status.terminatingReplicas;
  const next = {
    replicas: activePods.length,
    fullyLabeledReplicas: 0,
    readyReplicas: 0,
    availableReplicas: 0,
    ...(terminatingReplicas === undefined ? {} : { terminatingReplicas }),
    observedGeneration: metadata.generation ?? 0,
    conditions: conditionsAfter(set, activePods.length, failure, nowMs),
  };
  for (const pod of activePods) {
    if (carriesAll(pod)) next.fullyLabeledReplicas += 1;
    if (!isReady(pod)) continue;
    next.readyReplicas += 1;
    if (isAvailable(pod, minReadySeconds, nowMs)) next.availableReplicas += 1;
  }
  const unchanged =
    next.replicas === status.replicas &&
    next.fullyLabeledReplicas === (status.fullyLabeledReplicas ?? 0) &&
    next.readyReplicas === (status.readyReplicas ?? 0) &&
    next.availableReplicas === (status.availableReplicas ?? 0) &&
    terminatingReplicas === status.terminatingReplicas &&
    (moving || next.observedGeneration === (status.observedGeneration ?? 0)) &&
    equalJson(next.conditions, status.conditions ?? []);
  return unchanged ? undefined : next;
}

function conditionsAfter(
  set: Replicated,
  active: number,
  failure: string | undefined,
  nowMs: number,
): NonNullable<ReplicaStatus["conditions"]> {
  const known = set.status.conditions ?? [];
  if (failure === undefined) return known.filter(({ type }) => type !== REPLICA_FAILURE);
  // The first failure stays: each try may fail with other words.
  if (known.some(({ type }) => type === REPLICA_FAILURE)) return known;
  return [
    ...known,
    {
      type: REPLICA_FAILURE,
      status: "True",
      lastTransitionTime: timeOfMs(nowMs),
      reason: active < wantedReplicas(set) ? "FailedCreate" : "FailedDelete",
      message: failure,
    },
  ];
}
