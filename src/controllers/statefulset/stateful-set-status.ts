// What a StatefulSet says of its pods. Pure.

import type { Stored } from "../../client/informer.ts";
import type { StatefulSet } from "../../kinds/apps/stateful-set.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { isAvailable, isReady } from "../pods-of-owner/pod-state.ts";
import { revisionOf } from "./stateful-pod.ts";

interface StatusParts {
  readonly current: string;
  readonly update: string;
  readonly collisionCount: number | undefined;
  /** Those that are deleted in this turn, because they are old or too many: they end, although the cache does not show it. */
  readonly deleted: ReadonlySet<Stored<Pod>>;
  readonly nowMs: number;
}

type StatefulSetStatus = StatefulSet["status"];

/** Undefined when it says nothing new. `pods` are all that belong to the set and have a number. */
export function nextStatus(
  { metadata, spec, status }: Stored<StatefulSet>,
  pods: readonly Stored<Pod>[],
  { current, update, collisionCount, deleted, nowMs }: StatusParts,
): StatefulSetStatus | undefined {
  const ready = pods.filter((pod) => pod.status.phase === "Running" && isReady(pod));
  const lasting = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && !deleted.has(pod));
  const count = (revision: string) => lasting.filter((pod) => revisionOf(pod) === revision).length;
  const numbers = {
    replicas: pods.length,
    readyReplicas: ready.length,
    availableReplicas: ready.filter((pod) => isAvailable(pod, spec.minReadySeconds ?? 0, nowMs)).length,
    updatedReplicas: count(update),
  };
  // All are of the new revision and ready: it is the current one from now on.
  const wanted = spec.replicas ?? 1;
  const complete =
    spec.updateStrategy.type !== "OnDelete" &&
    [numbers.updatedReplicas, numbers.readyReplicas, numbers.replicas].every((number) => number === wanted);
  const next = {
    ...numbers,
    currentReplicas: complete ? numbers.updatedReplicas : count(current),
    currentRevision: complete ? update : current,
    updateRevision: update,
    collisionCount: collisionCount ?? 0,
    observedGeneration: metadata.generation ?? 0,
  };
  const isNew = Object.entries(next).some(
    ([name, value]) => (status[name as keyof typeof next] ?? (typeof value === "number" ? 0 : "")) !== value,
  );
  return isNew ? { ...status, ...next } : undefined;
}
