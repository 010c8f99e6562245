// What the status of a pod says at each stage of its simulated life. Pure.

import { createHash } from "node:crypto";
import type { Stored } from "../client/informer.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { timeOfMs } from "../meta/time.ts";
import { GONE, type Verdict, withConditions, YES } from "./pod-conditions.ts";
import { asGiven, RESIZE_PENDING, type ResizeProblem, restartsFor } from "./resize-rule.ts";

export type PodStatus = Pod["status"];
type ContainerStatus = NonNullable<PodStatus["containerStatuses"]>[number];
type Container = NonNullable<Pod["spec"]["containers"]>[number];

/** Where the pod runs, and when. */
export interface PodFacts {
  readonly nowMs: number;
  readonly hostIP: string;
  readonly podIP: string;
  /** Why the containers do not get the resources that the pod asks for now. */
  readonly resizePending?: ResizeProblem | undefined;
}

/** The node has taken the pod; nothing runs yet. */
export function acceptedStatus(pod: Stored<Pod>, { nowMs, hostIP }: PodFacts): PodStatus {
  const { spec } = pod;
  const hasInit = (spec.initContainers?.length ?? 0) > 0;
  const waiting = (container: Container): ContainerStatus => ({
    ...base(pod, container),
    state: { waiting: { reason: hasInit ? "PodInitializing" : "ContainerCreating" } },
    imageID: "",
    ready: false,
    started: false,
  });
  const notReady = containersNotReady(pod);
  const uninitialized = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy !== "Always");
  return {
    ...reported(pod),
    phase: "Pending",
    startTime: timeOfMs(nowMs),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    ...(hasInit ? { initContainerStatuses: spec.initContainers!.map(waiting) } : {}),
    containerStatuses: containersOf(pod).map(waiting),
    conditions: withConditions(pod, nowMs, {
      PodReadyToStartContainers: { status: "False" },
      Initialized:
        uninitialized.length === 0
          ? YES
          : {
              status: "False",
              reason: "ContainersNotInitialized",
              message: `containers with incomplete status: [${uninitialized.map(({ name }) => name).join(" ")}]`,
            },
      Ready: notReady,
      ContainersReady: notReady,
    }),
  };
}

/** As before, of the pod as it is now. */
export function seenStatus(pod: Stored<Pod>, { nowMs }: PodFacts): PodStatus {
  return { ...reported(pod), conditions: withConditions(pod, nowMs, {}) };
}

/**
 * All containers run; those that ended before, whose image is another one now, or that get other resources only so, are started
 * once more.
 */
export function runningStatus(pod: Stored<Pod>, facts: PodFacts): PodStatus {
  const { status } = pod;
  const { nowMs, hostIP, resizePending } = facts;
  const { spec } = resizePending === undefined ? pod : asGiven(pod);
  const podIP = spec.hostNetwork === true ? hostIP : facts.podIP;
  const run = (container: Container): ContainerStatus => {
    const before = containerStatusOf(status.containerStatuses, container.name);
    const runs = before?.state?.running !== undefined;
    if (runs && isSameImage(before, container) && !restartsFor(container, before.resources))
      return { ...before, ...resourcesOf(container) };
    const restarts = before?.restartCount ?? 0;
    const lastState = runs
      ? ended(pod, container, startedMs(before, nowMs), nowMs, 0, restarts).state
      : (before?.lastState ?? {});
    const restartCount = restarts + (lastState?.terminated === undefined ? 0 : 1);
    return { ...base(pod, container, restartCount), ...runningSince(nowMs), lastState };
  };
  const init = (container: Container): ContainerStatus => {
    const before = containerStatusOf(status.initContainerStatuses, container.name);
    if (before?.state?.running !== undefined) return { ...before, ...resourcesOf(container) };
    if (before?.state?.terminated !== undefined) return before;
    if (container.restartPolicy === "Always") return { ...base(pod, container), ...runningSince(nowMs) };
    return { ...base(pod, container), ...ended(pod, container, nowMs, nowMs, 0, 0), ready: true };
  };
  const ephemeral = (spec.ephemeralContainers ?? []).map((container): ContainerStatus => {
    const before = containerStatusOf(status.ephemeralContainerStatuses, container.name);
    return before ?? { ...base(pod, container), ...runningSince(nowMs), ready: false };
  });
  return {
    ...reported(pod),
    phase: "Running",
    startTime: status.startTime ?? timeOfMs(nowMs),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    ...(spec.initContainers?.length ? { initContainerStatuses: spec.initContainers.map(init) } : {}),
    containerStatuses: (spec.containers ?? []).map(run),
    ...(ephemeral.length === 0 ? {} : { ephemeralContainerStatuses: ephemeral }),
    conditions: withConditions(pod, nowMs, {
      PodReadyToStartContainers: YES,
      Initialized: YES,
      Ready: gatesVerdict(pod),
      ContainersReady: YES,
      [RESIZE_PENDING]: resizePending === undefined ? GONE : { status: "True", ...resizePending },
    }),
  };
}

/** The containers have ended and wait to be started again. */
export function crashedStatus(pod: Stored<Pod>, { nowMs }: PodFacts, exitCode: number): PodStatus {
  const notReady = containersNotReady(pod);
  const crash = (container: Container): ContainerStatus => {
    const before = containerStatusOf(pod.status.containerStatuses, container.name);
    const { state } = ended(pod, container, startedMs(before, nowMs), nowMs, exitCode, before?.restartCount ?? 0);
    const message = `back-off ${restartDelayMs(before?.restartCount ?? 0) / 1000}s restarting failed container=${container.name}`;
    return {
      ...base(pod, container, before?.restartCount ?? 0),
      state: { waiting: { reason: "CrashLoopBackOff", message } },
      lastState: state,
      ready: false,
      started: false,
    };
  };
  return {
    ...pod.status,
    ...reported(pod),
    containerStatuses: containersOf(asGiven(pod)).map(crash),
    conditions: withConditions(pod, nowMs, { Ready: notReady, ContainersReady: notReady }),
  };
}

/** Everything has ended, for good. */
export function endedStatus(
  pod: Stored<Pod>,
  { nowMs }: PodFacts,
  { exitCode, reason, message }: { exitCode: number; reason?: string; message?: string },
): PodStatus {
  const failed = exitCode !== 0;
  const over: Verdict = { status: "False", reason: failed ? "PodFailed" : "PodCompleted" };
  const end = (container: Container, statuses: readonly ContainerStatus[] | undefined): ContainerStatus => {
    const before = containerStatusOf(statuses, container.name);
    if (before?.state?.terminated !== undefined) return before;
    const restarts = before?.restartCount ?? 0;
    return {
      ...base(pod, container, restarts),
      ...ended(pod, container, startedMs(before, nowMs), nowMs, exitCode, restarts),
    };
  };
  const { initContainers } = pod.spec;
  return {
    ...pod.status,
    ...reported(pod),
    phase: failed ? "Failed" : "Succeeded",
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(initContainers?.length
      ? { initContainerStatuses: initContainers.map((each) => end(each, pod.status.initContainerStatuses)) }
      : {}),
    containerStatuses: containersOf(asGiven(pod)).map((each) => end(each, pod.status.containerStatuses)),
    conditions: withConditions(pod, nowMs, {
      PodReadyToStartContainers: { status: "False" },
      // Upstream says of a task that it was initialized by its completion.
      Initialized: failed ? YES : { status: "True", reason: "PodCompleted" },
      Ready: over,
      ContainersReady: over,
    }),
  };
}

/** Between two runs of a container that ends, after so many restarts. */
export function restartDelayMs(restarts: number): number {
  return Math.min(10_000 * 2 ** Math.min(restarts, 10), 300_000);
}

/** Whether the conditions that readiness gates name all hold. */
export function gatesVerdict({ spec, status }: Pod): Verdict {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return YES;
  const known = new Map((status.conditions ?? []).map((condition) => [condition.type, condition.status]));
  const unmet = gates.filter(({ conditionType }) => known.get(conditionType) !== "True");
  if (unmet.length === 0) return YES;
  const [first] = unmet;
  const message = known.has(first!.conditionType)
    ? `the status of pod readiness gate "${first!.conditionType}" is not "True", but ${known.get(first!.conditionType)}`
    : `corresponding condition of pod readiness gate "${first!.conditionType}" does not exist.`;
  return { status: "False", reason: "ReadinessGatesNotReady", message };
}

export function containerStatusOf(
  statuses: readonly ContainerStatus[] | undefined,
  name: string,
): ContainerStatus | undefined {
  return statuses?.find((status) => status.name === name);
}

const isSameImage = (status: ContainerStatus, { image }: Container): boolean =>
  status.image === undefined || status.image === (image ?? "");

const containersOf = (pod: Pod): readonly Container[] => pod.spec.containers ?? [];

/** Members that every report carries on or renews. */
function reported({ metadata, status }: Stored<Pod>): PodStatus {
  const { generation } = metadata;
  return { ...status, ...(generation === undefined ? {} : { observedGeneration: generation }) };
}

function containersNotReady(pod: Pod): Verdict {
  const names = containersOf(pod).map(({ name }) => name);
  return {
    status: "False",
    reason: "ContainersNotReady",
    message: `containers with unready status: [${names.join(" ")}]`,
  };
}

function base(
  { metadata }: Stored<Pod>,
  container: Pick<Container, "name"> & Partial<Container>,
  restartCount = 0,
): ContainerStatus {
  const image = container.image ?? "";
  return {
    name: container.name,
    image,
    imageID: `${image.replace(/[@:][^/]*$/, "")}@sha256:${digest(image)}`,
    restartCount,
    ready: false,
    state: {},
    lastState: {},
    ...(container.resources === undefined ? {} : resourcesOf(container as Container)),
    containerID: containerId(metadata.uid, container.name, restartCount),
  };
}

/** Also where nothing is asked for: whoever waits for a change of resources looks at them here. */
function resourcesOf({ resources = {} }: Container): Pick<ContainerStatus, "resources" | "allocatedResources"> {
  const { requests } = resources;
  return { resources, ...(requests === undefined ? {} : { allocatedResources: requests }) };
}

const containerId = (uid: string, name: string, run: number): string =>
  `simulated://${digest(`${uid}/${name}/${run}`)}`;

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

function runningSince(nowMs: number): Pick<ContainerStatus, "state" | "ready" | "started"> {
  return { state: { running: { startedAt: timeOfMs(nowMs) } }, ready: true, started: true };
}

function ended(
  { metadata }: Stored<Pod>,
  { name }: Container,
  beganMs: number,
  nowMs: number,
  exitCode: number,
  run: number,
): Pick<ContainerStatus, "state" | "ready" | "started"> {
  return {
    state: {
      terminated: {
        exitCode,
        reason: exitCode === 0 ? "Completed" : "Error",
        startedAt: timeOfMs(beganMs),
        finishedAt: timeOfMs(nowMs),
        containerID: containerId(metadata.uid, name, run),
      },
    },
    ready: false,
    started: false,
  };
}

function startedMs(status: ContainerStatus | undefined, nowMs: number): number {
  const text = status?.state?.running?.startedAt;
  return text === undefined || text === null ? nowMs : Date.parse(text);
}
