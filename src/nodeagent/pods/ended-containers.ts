// What is told of the containers of a pod that has ended: each that was begun has ended too, also where nobody saw how. Pure.

import type { ContainerStatus } from "../../kinds/core/pod/container-status.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { hasStarted } from "./pod-phase.ts";
import { isSidecar } from "./restart-rules.ts";

type PodStatus = Pod["status"];

interface PodContainers {
  readonly init: ContainerStatus[];
  readonly regular: ContainerStatus[];
}

/** `told` is what was told before the pod ended: what its end has brought about is no beginning. */
export function endedContainers(pod: Pod, told: PodStatus, { init, regular }: PodContainers): PodContainers {
  const begun = init.findLastIndex((status) => hasStarted([status]));
  return {
    init: init.map((status, index) => (index <= Math.max(begun, 0) ? asEnded(status) : status)),
    regular: wasInitialized(pod, told) ? regular.map(asEnded) : regular,
  };
}

const LOST = {
  exitCode: 137,
  reason: "ContainerStatusUnknown",
  message: "The container could not be located when the pod was terminated",
  startedAt: null,
  finishedAt: null,
};

function asEnded(status: ContainerStatus): ContainerStatus {
  return status.state?.terminated === undefined ? { ...status, state: { terminated: LOST } } : status;
}

/** Whether it was the turn of the regular containers. */
function wasInitialized({ spec }: Pod, told: PodStatus): boolean {
  const last = spec.initContainers?.at(-1);
  if (last === undefined || hasStarted(told.containerStatuses ?? [])) return true;
  if (told.phase === "Failed" || told.phase === "Succeeded") return false;
  const status = told.initContainerStatuses?.find(({ name }) => name === last.name);
  if (isSidecar(last)) return status?.state?.running !== undefined && status.started === true;
  return (status?.state?.terminated ?? status?.lastState?.terminated)?.exitCode === 0;
}
