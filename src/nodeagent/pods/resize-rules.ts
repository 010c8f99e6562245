// Changes of resources while a pod runs: whether the node gives them, and what the runtime is told. Pure.
// Requirements: document 3, "Node-agent local files and sockets" (pod resource records).

import { equalJson } from "../../base/json.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import type { WaitingReason } from "./container-statuses.ts";
import { resourcesProblem } from "./node-admission.ts";
import { amountsOf, type ContainerAmounts } from "./pod-records.ts";
import { latestRun, type RuntimeContainer, type RuntimePod } from "./runtime-pod.ts";

interface ResizeFacts {
  readonly allocatable: Readonly<Record<string, string>>;
  /** The other pods of the node that have not ended. */
  readonly others: readonly Pod[];
  readonly isStatic: boolean;
}

/** Why a pod does not get what it asks for now: `Deferred` until there is room, `Infeasible` for good. */
export function resizeProblem(
  wanted: Pod,
  current: Pod,
  { allocatable, others, isStatic }: ResizeFacts,
): WaitingReason | undefined {
  if (isStatic) return { reason: "Infeasible", message: "In-place resize of static-pods is not supported" };
  if (qosClassOf(wanted.spec) !== qosClassOf(current.spec))
    return { reason: "Infeasible", message: "The resize would change the class of service of the pod" };
  const never = resourcesProblem(wanted, { allocatable, others: [] });
  if (never !== undefined) return { reason: "Infeasible", message: never.message };
  const now = resourcesProblem(wanted, { allocatable, others });
  return now === undefined ? undefined : { reason: "Deferred", message: now.message };
}

/** The pod with these amounts instead of its own. */
export function withAmounts(pod: Pod, amounts: ContainerAmounts): Pod {
  const replaced = (container: Container): Container => {
    const given = Object.hasOwn(amounts, container.name) ? amounts[container.name] : undefined;
    if (given === undefined) return container;
    const { claims } = container.resources ?? {};
    return { ...container, resources: { ...given, ...(claims === undefined ? {} : { claims }) } };
  };
  const { containers, initContainers, ...spec } = pod.spec;
  return {
    ...pod,
    spec: {
      ...spec,
      containers: containers?.map(replaced) ?? containers,
      ...(initContainers == null ? {} : { initContainers: initContainers.map(replaced) }),
    },
  };
}

interface Actuation {
  readonly container: Container;
  readonly run: RuntimeContainer;
  /** Whether the container wants to be started again for it. */
  readonly restarts: boolean;
}

/** Which running containers have other resources than the pod has been given. */
export function actuations(pod: Pod, actuated: ContainerAmounts | undefined, runtime: RuntimePod): Actuation[] {
  if (actuated === undefined) return [];
  const wanted = amountsOf(pod);
  const found: Actuation[] = [];
  for (const container of [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]) {
    const { name } = container;
    const run = latestRun(runtime, name);
    const had = Object.hasOwn(actuated, name) ? actuated[name] : undefined;
    if (run?.state !== "running" || had === undefined || equalJson(had, wanted[name])) continue;
    found.push({ container, run, restarts: restartsFor(container, had, wanted[name] ?? {}) });
  }
  return found;
}

type Amounts = ContainerAmounts[string];

function restartsFor({ resizePolicy }: Container, had: Amounts, wanted: Amounts): boolean {
  return (resizePolicy ?? []).some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      (had.limits?.[resourceName] !== wanted.limits?.[resourceName] ||
        had.requests?.[resourceName] !== wanted.requests?.[resourceName]),
  );
}
