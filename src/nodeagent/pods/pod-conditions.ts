// The conditions of a pod that the agent tells: ready to start, initialized, containers ready, ready, scheduled.

import { indexBy } from "../../base/index-by.ts";
import type { ContainerStatus } from "../../kinds/core/pod/container-status.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { WaitingReason } from "./container-statuses.ts";
import { hasStarted, type PodPhase } from "./pod-phase.ts";
import { isSidecar } from "./restart-rules.ts";

type PodCondition = NonNullable<Pod["status"]["conditions"]>[number];

interface ConditionFacts {
  readonly pod: Pod;
  readonly phase: PodPhase;
  readonly init: readonly ContainerStatus[];
  readonly regular: readonly ContainerStatus[];
  /** Whether the sandbox stands and has its network. */
  readonly hasSandbox: boolean;
  /** Why the pod does not get the resources that it asks for. */
  readonly resizePending?: WaitingReason | undefined;
  /** Containers do not have yet what the pod was given; with the reason where the runtime does not take it. */
  readonly resizing?: Partial<WaitingReason> | undefined;
  /** Why the node ends the pod. */
  readonly disruption?: string | undefined;
}

interface Verdict {
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** Types that the agent owns: others on a pod belong to somebody else and are left alone. */
export const OWN_CONDITIONS = [
  "PodReadyToStartContainers",
  "Initialized",
  "Ready",
  "ContainersReady",
  "PodScheduled",
  "PodResizePending",
  "PodResizeInProgress",
];

/** These tell when they were looked at last, too. */
const PROBED: ReadonlySet<string> = new Set(["PodResizePending", "PodResizeInProgress"]);

/** In the order in which upstream tells them. `told` gives the times of those whose status stays. */
export function podConditions(facts: ConditionFacts, told: readonly PodCondition[], nowMs: number): PodCondition[] {
  const containersReady = containersReadyOf(facts);
  const verdicts: [string, Verdict][] = [
    ["PodReadyToStartContainers", { status: facts.hasSandbox ? "True" : "False" }],
    ["Initialized", initializedOf(facts)],
    ["Ready", readyOf(facts.pod, containersReady, told)],
    ["ContainersReady", containersReady],
    ["PodScheduled", { status: "True" }],
  ];
  if (facts.disruption !== undefined)
    verdicts.push(["DisruptionTarget", { status: "True", reason: "TerminationByKubelet", message: facts.disruption }]);
  if (facts.resizePending !== undefined)
    verdicts.push(["PodResizePending", { status: "True", ...facts.resizePending }]);
  if (facts.resizing !== undefined) verdicts.push(["PodResizeInProgress", { status: "True", ...facts.resizing }]);
  const known = indexBy(told, ({ type }) => type);
  const { generation } = facts.pod.metadata;
  return verdicts.map(([type, verdict]) => {
    const before = known.get(type);
    const since = before?.status === verdict.status ? before.lastTransitionTime : null;
    const lastTransitionTime = since ?? timeOfMs(nowMs);
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    const lastProbeTime = PROBED.has(type) ? lastTransitionTime : null;
    return { type, ...observed, ...verdict, lastProbeTime, lastTransitionTime };
  });
}

function initializedOf({ pod, phase, init, regular }: ConditionFacts): Verdict {
  const containers = pod.spec.initContainers ?? [];
  if (containers.length > 0 && init.length === 0) return UNKNOWN_STATUSES;
  if (hasStarted(regular))
    return phase === "Succeeded" ? { status: "True", reason: "PodCompleted" } : { status: "True" };
  const statuses = indexBy(init, ({ name }) => name);
  const unknown: string[] = [];
  const incomplete: string[] = [];
  for (const container of containers) {
    const status = statuses.get(container.name);
    const isDone = isSidecar(container) ? status?.started : status?.ready;
    if (status === undefined) unknown.push(container.name);
    else if (!isDone) incomplete.push(container.name);
  }
  if (phase === "Succeeded" && unknown.length === 0) return { status: "True", reason: "PodCompleted" };
  const message = listed({ unknown, incomplete });
  return message === "" ? { status: "True" } : { status: "False", reason: "ContainersNotInitialized", message };
}

function containersReadyOf({ pod, phase, init, regular }: ConditionFacts): Verdict {
  if (regular.length === 0) return UNKNOWN_STATUSES;
  const statuses = indexBy([...init, ...regular], ({ name }) => name);
  const unknown: string[] = [];
  const unready: string[] = [];
  const counted = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...(pod.spec.containers ?? [])];
  for (const { name } of counted) {
    const status = statuses.get(name);
    if (status === undefined) unknown.push(name);
    else if (!status.ready) unready.push(name);
  }
  if (phase === "Succeeded" && unknown.length === 0) return { status: "False", reason: "PodCompleted" };
  if (phase === "Failed") return { status: "False", reason: "PodFailed" };
  const message = listed({ unknown, unready });
  return message === "" ? { status: "True" } : { status: "False", reason: "ContainersNotReady", message };
}

function readyOf({ spec }: Pod, containersReady: Verdict, told: readonly PodCondition[]): Verdict {
  if (containersReady.status !== "True") return containersReady;
  const known = indexBy(told, ({ type }) => type);
  const messages: string[] = [];
  for (const { conditionType } of spec.readinessGates ?? []) {
    const gate = known.get(conditionType);
    if (gate === undefined)
      messages.push(`corresponding condition of pod readiness gate "${conditionType}" does not exist.`);
    else if (gate.status !== "True")
      messages.push(`the status of pod readiness gate "${conditionType}" is not "True", but ${gate.status}`);
  }
  if (messages.length === 0) return { status: "True" };
  return { status: "False", reason: "ReadinessGatesNotReady", message: messages.join(", ") };
}

const UNKNOWN_STATUSES: Verdict = { status: "False", reason: "UnknownContainerStatuses" };

function listed(containers: Readonly<Record<string, readonly string[]>>): string {
  return Object.entries(containers)
    .filter(([, list]) => list.length > 0)
    .map(([which, list]) => `containers with ${which} status: [${list.join(" ")}]`)
    .join(", ");
}
