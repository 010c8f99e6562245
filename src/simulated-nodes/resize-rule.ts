// Changes of the resources of pods that run on a simulated node: given where there is room, else told and tried again. Pure.
// Requirements: document 1, "Sub-resources" (resize).

import { equalJson } from "../base/json.ts";
import type { Container } from "../kinds/core/pod/container.ts";
import type { ContainerStatus } from "../kinds/core/pod/container-status.ts";
import { resizeRoomProblem } from "../kinds/core/pod/room.ts";
import type { Pod } from "../kinds/core/pod.ts";

/** `Deferred` until there is room, `Infeasible` for good. */
export interface ResizeProblem {
  readonly reason: string;
  readonly message: string;
}

/** Of the condition that tells of it. */
export const RESIZE_PENDING = "PodResizePending";

export function resizeProblem(
  pod: Pod,
  allocatable: Readonly<Record<string, string>>,
  others: readonly Pod[],
): ResizeProblem | undefined {
  return resizeRoomProblem(pod, { allocatable, most: allocatable, others });
}

/** Whether the pod asks for other resources than its containers have. */
export const wantsOtherResources = (pod: Pod): boolean => asGiven(pod) !== pod;

/** What the status of the pod says about a problem, where it has one. */
export function toldProblem({ status }: Pod): ResizeProblem | undefined {
  const told = status.conditions?.find(({ type }) => type === RESIZE_PENDING);
  return told === undefined ? undefined : { reason: told.reason ?? "", message: told.message ?? "" };
}

export const isDeferred = (pod: Pod): boolean => toldProblem(pod)?.reason === "Deferred";

/** The pod with the resources that its containers have instead of those that it asks for; itself where they are the same. */
export function asGiven(pod: Pod): Pod {
  const { spec, status } = pod;
  const containers = given(spec.containers, status.containerStatuses);
  const initContainers = given(spec.initContainers, status.initContainerStatuses);
  const isSame = containers === spec.containers && initContainers === spec.initContainers;
  if (isSame) return pod;
  return { ...pod, spec: { ...spec, containers, ...(initContainers === undefined ? {} : { initContainers }) } };
}

function given<T extends Container[] | null | undefined>(
  containers: T,
  statuses: readonly ContainerStatus[] | null | undefined,
): T {
  let differs = false;
  const replaced = containers?.map((container) => {
    const has = statuses?.find(({ name }) => name === container.name)?.resources;
    if (has === undefined || equalJson(has, container.resources ?? {})) return container;
    differs = true;
    return { ...container, resources: has };
  });
  return differs ? (replaced as T) : containers;
}

/** Whether the container has to be started again for what it gets instead of what it has. */
export function restartsFor({ resizePolicy, resources }: Container, has: ContainerStatus["resources"]): boolean {
  return (resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (resources?.requests?.[resourceName] !== has?.requests?.[resourceName] ||
        resources?.limits?.[resourceName] !== has?.limits?.[resourceName]),
  );
}
