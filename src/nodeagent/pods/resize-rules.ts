// Changes of resources while a pod runs: whether the node gives them, and what the runtime is told. Pure.
// Requirements: document 3, "Node-agent local files and sockets" (pod resource records).

import { equalJson } from "../../base/json.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import { qosClassOf } from "../../kinds/core/pod/resources.ts";
import { resizeRoomProblem } from "../../kinds/core/pod/room.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { bytesOf } from "../containers/linux-resources.ts";
import type { WaitingReason } from "./container-statuses.ts";
import { amountsOf, type ContainerAmounts } from "./pod-records.ts";
import { isSidecar } from "./restart-rules.ts";
import { latestRun, type RuntimeContainer, type RuntimePod } from "./runtime-pod.ts";

interface ResizeFacts {
  readonly allocatable: Readonly<Record<string, string>>;
  /** The same with what evictions keep free. */
  readonly most: Readonly<Record<string, string>>;
  /** The other pods of the node that have not ended. */
  readonly others: readonly Pod[];
  readonly isStatic: boolean;
  /** Resources that containers of Guaranteed pods may have for themselves, with the policy that gives them. */
  readonly pinned?: ReadonlyMap<"cpu" | "memory", string>;
}

/** Why a pod does not get what it asks for now: `Deferred` until there is room, `Infeasible` for good. */
export function resizeProblem(
  wanted: Pod,
  current: Pod,
  { allocatable, most, others, isStatic, pinned = new Map() }: ResizeFacts,
): WaitingReason | undefined {
  if (isStatic) return { reason: "Infeasible", message: "In-place resize of static-pods is not supported" };
  if (qosClassOf(wanted.spec) !== qosClassOf(current.spec))
    return { reason: "Infeasible", message: "The resize would change the class of service of the pod" };
  for (const [resource, policy] of pinned)
    if (qosClassOf(wanted.spec) === "Guaranteed" && differs(wanted, current, resource)) {
      const manager = resource === "cpu" ? "CPU" : "Memory";
      const message = `Resize is infeasible for Guaranteed Pods alongside ${manager} Manager policy "${policy}"`;
      return { reason: "Infeasible", message };
    }
  return resizeRoomProblem(wanted, { allocatable, most, others });
}

function differs(wanted: Pod, current: Pod, resource: string): boolean {
  const [asked, had] = [amountsOf(wanted), amountsOf(current)];
  return Object.keys(asked).some(
    (name) =>
      asked[name]?.requests?.[resource] !== had[name]?.requests?.[resource] ||
      asked[name]?.limits?.[resource] !== had[name]?.limits?.[resource],
  );
}

/** What an event says of the resources that a pod has now. */
export function resizeMessage({ spec }: Pod): string {
  const shown = (containers: readonly Container[] = []) =>
    containers.map(({ name, resources: { limits, requests } }) => ({
      name,
      resources: {
        ...(limits === undefined ? {} : { limits: sorted(limits) }),
        ...(requests === undefined ? {} : { requests: sorted(requests) }),
      },
    }));
  const sidecars = shown((spec.initContainers ?? []).filter(isSidecar));
  const all = {
    ...(sidecars.length === 0 ? {} : { initContainers: sidecars }),
    containers: shown(spec.containers ?? []),
  };
  return `Pod resize completed: ${JSON.stringify(all)}`;
}

const sorted = (amounts: Readonly<Record<string, string>>): object =>
  Object.fromEntries(Object.entries(amounts).sort(([a], [b]) => (a < b ? -1 : 1)));

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

export interface Actuation {
  readonly container: Container;
  readonly run: RuntimeContainer;
  /** Whether the container wants to be started again for it. */
  readonly restarts: boolean;
  /** How much memory it may have while it runs on, where that is less than before. */
  readonly lessBytes: number | undefined;
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
    const now = wanted[name] ?? {};
    const restarts = restartsFor(container, had, now);
    found.push({ container, run, restarts, lessBytes: restarts ? undefined : lessMemory(had, now) });
  }
  return found;
}

function lessMemory(had: Amounts, wanted: Amounts): number | undefined {
  const [before, now] = [had.limits?.["memory"], wanted.limits?.["memory"]];
  if (now === undefined || (before !== undefined && bytesOf(before) <= bytesOf(now))) return undefined;
  return bytesOf(now);
}

/** Why the runtime is not told: the kernel would end what uses more than it may have. `usedBytes` by the id of the container. */
export function memoryProblem(due: readonly Actuation[], usedBytes: ReadonlyMap<string, number>): string | undefined {
  const problems = due.flatMap(({ container, run, lessBytes }) => {
    const used = usedBytes.get(run.id) ?? 0;
    if (lessBytes === undefined || used <= lessBytes) return [];
    const name = JSON.stringify(container.name);
    return [`attempting to set container ${name} memory limit (${lessBytes}) below current usage (${used})`];
  });
  if (problems.length === 0) return undefined;
  const all = problems.length === 1 ? problems[0]! : `[${problems.join(", ")}]`;
  return `cannot decrease memory limits: ${all}`;
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
