// The phase of a pod, in one word from the states of all its containers.

import { indexBy } from "../../base/index-by.ts";
import type { ContainerStatus } from "../../kinds/core/pod/container-status.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { isSidecar, restartsAfter } from "./restart-rules.ts";

export type PodPhase = "Pending" | "Running" | "Succeeded" | "Failed";

export interface PhaseFacts {
  readonly pod: Pod;
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  /** Whether nothing will be started any more, whatever the restart policy says. */
  readonly isEnding: boolean;
  /** Pods from files start again with their node: they have no last phase. */
  readonly isStatic: boolean;
}

export function podPhase({ pod, init, regular, isEnding, isStatic }: PhaseFacts): PodPhase {
  const initialization = initCounts(pod, init);
  if (initialization.failed > 0) return "Failed";
  const { running, waiting, stopped, succeeded, unknown } = regularCounts(pod, regular);
  if (initialization.pending > 0 && !hasStarted(regular)) return "Pending";
  if (waiting > 0) return "Pending";
  if (running > 0) return unknown === 0 ? "Running" : "Pending";
  if (stopped === 0 || unknown > 0) return "Pending";
  if (isEnding && !isStatic) return stopped === succeeded ? "Succeeded" : "Failed";
  if (willRestart(pod, regular)) return "Running";
  return stopped === succeeded ? "Succeeded" : "Failed";
}

/** Whether a container that has ended starts again, by the policies of the pod and its own. */
function willRestart(pod: Pod, regular: readonly ContainerStatus[]): boolean {
  const statuses = indexBy(regular, ({ name }) => name);
  return (pod.spec.containers ?? []).some((container) => {
    const { state, lastState } = statuses.get(container.name) ?? {};
    const ended = state?.terminated ?? lastState?.terminated;
    return ended !== undefined && restartsAfter(pod, container, ended.exitCode);
  });
}

/** Whether any of these containers runs or has run. */
export function hasStarted(statuses: readonly ContainerStatus[]): boolean {
  return statuses.some(({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated);
}

/** One that failed and runs again keeps the pod from starting as one does that has not run yet. */
function initCounts(pod: Pod, init: readonly ContainerStatus[]): { pending: number; failed: number } {
  const statuses = indexBy(init, ({ name }) => name);
  let pending = 0;
  let failed = 0;
  for (const container of pod.spec.initContainers ?? []) {
    const { state, lastState, started } = statuses.get(container.name) ?? {};
    const ended = state?.terminated ?? lastState?.terminated;
    if (isSidecar(container)) {
      if (state?.running !== undefined ? !started : ended === undefined) pending += 1;
    } else if (state?.running !== undefined || ended === undefined) pending += 1;
    else if (ended.exitCode !== 0) {
      if (restartsAfter(pod, container, ended.exitCode)) pending += 1;
      else failed += 1;
    }
  }
  return { pending, failed };
}

function regularCounts({ spec }: Pod, regular: readonly ContainerStatus[]) {
  const statuses = indexBy(regular, ({ name }) => name);
  const counts = { running: 0, waiting: 0, stopped: 0, succeeded: 0, unknown: 0 };
  for (const { name } of spec.containers ?? []) {
    const { state, lastState } = statuses.get(name) ?? {};
    if (state?.running !== undefined) counts.running += 1;
    else if (state?.terminated !== undefined) {
      counts.stopped += 1;
      if (state.terminated.exitCode === 0) counts.succeeded += 1;
    } else if (state?.waiting === undefined) counts.unknown += 1;
    else if (lastState?.terminated === undefined) counts.waiting += 1;
    else counts.stopped += 1;
  }
  return counts;
}
