// What the agent holds of one pod while it looks after it.

import type { Pod } from "../../kinds/core/pod.ts";
import type { WaitingReason } from "./container-statuses.ts";
import type { PodFailure, PodStatus } from "./pod-status.ts";
import type { RuntimePod } from "./runtime-pod.ts";

export interface PodEntry {
  readonly uid: string;
  /** From a file of the node and not from the API. */
  readonly isStatic: boolean;
  /** As it shall be now, with the resources that the node gives it. */
  pod: Pod;
  /** Why it does not get the resources that it asks for. */
  resizePending?: WaitingReason;
  /** While the runtime is told of other resources; with the reason where it does not take them. */
  resizing?: Partial<WaitingReason>;
  /** As it was told last. */
  status: PodStatus;
  /** Why containers could not be started at the last attempt, by name. */
  readonly waiting: Map<string, WaitingReason>;
  /** The node does not take it. */
  isRejected: boolean;
  /** Its source does not have it any more. */
  isRemoved: boolean;
  /** Ends the pod as failed. */
  failure?: PodFailure;
  /** The most time that it has to end, whatever it asks for. */
  maxGraceSeconds?: number;
  /** Nothing of it runs any more, and nothing will. */
  hasEnded: boolean;
  /** What the runtime had of it at the end of a round that found nothing to do. */
  settled?: RuntimePod | undefined;
  /** While what is missing of it is done: images are pulled, containers started, hooks run. */
  starting?: AbortController;
  /** While its containers are being stopped. */
  stopping?: { readonly graceSeconds: number; readonly interrupt: AbortController };
}

export function newEntry(pod: Pod, isStatic: boolean): PodEntry {
  return {
    uid: pod.metadata.uid ?? "",
    isStatic,
    pod,
    status: pod.status ?? {},
    waiting: new Map(),
    isRejected: false,
    isRemoved: false,
    hasEnded: false,
  };
}

export const hasLastPhase = ({ phase }: PodStatus): boolean => phase === "Failed" || phase === "Succeeded";

/** Whether the pod is to be stopped, for whatever reason. */
export function isEnding({ pod, status, isRemoved, failure }: PodEntry): boolean {
  return isRemoved || failure !== undefined || pod.metadata.deletionTimestamp !== undefined || hasLastPhase(status);
}

/** With the status that was told last: the pod's own may be older, and one from a file has none. */
export const asTold = ({ pod, status }: PodEntry): Pod => ({ ...pod, status });

/** Seconds that its containers have to stop. */
export function graceSecondsOf({
  pod,
  isRemoved,
  maxGraceSeconds,
}: Pick<PodEntry, "pod" | "isRemoved" | "maxGraceSeconds">): number {
  const { deletionGracePeriodSeconds: asked, deletionTimestamp } = pod.metadata;
  const own = Number(pod.spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
  const isDeleted = asked !== undefined && (deletionTimestamp !== undefined || isRemoved);
  const seconds = isDeleted ? Number(asked) : own;
  return Math.max(Math.min(seconds, maxGraceSeconds ?? seconds), 1);
}

const DEFAULT_GRACE_SECONDS = 30;

/** `name_namespace(uid)`, as messages name pods. */
export const fullName = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`;
