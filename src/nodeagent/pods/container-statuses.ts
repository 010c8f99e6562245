// What is told of each container: waiting with a reason, running, or terminated, and how its last run ended.

import { indexBy } from "../../base/index-by.ts";
import type { Container } from "../../kinds/core/pod/container.ts";
import type { ContainerStatus } from "../../kinds/core/pod/container-status.ts";
import type { EphemeralContainer } from "../../kinds/core/pod/ephemeral-container.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { ContainerAmounts } from "./pod-records.ts";
import { isSidecar, shouldStart } from "./restart-rules.ts";
import type { RuntimeContainer, RuntimePod } from "./runtime-pod.ts";

type ContainerState = NonNullable<ContainerStatus["state"]>;
export type ContainerSort = "initContainers" | "containers" | "ephemeralContainers";

/** Why a container could not be started at the last attempt. */
export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

export interface ContainerFacts {
  readonly pod: Pod;
  readonly runtime: RuntimePod;
  /** The statuses that were told last, of this sort of containers. */
  readonly told: readonly ContainerStatus[] | undefined;
  readonly waiting: ReadonlyMap<string, WaitingReason>;
  /** The scheme of container ids: `containerd`. */
  readonly runtimeName: string;
  readonly isStarted: (run: RuntimeContainer) => boolean;
  readonly isReady: (run: RuntimeContainer) => boolean;
  /** What the runtime was told of resources, by container, where that is known. */
  readonly actuated?: ContainerAmounts | undefined;
}

export function containerStatuses(sort: ContainerSort, facts: ContainerFacts): ContainerStatus[] {
  const { pod, runtime } = facts;
  const told = indexBy(facts.told, ({ name }) => name);
  const runs = new Map<string, RuntimeContainer[]>();
  for (const run of runtime.containers) runs.set(run.name, [...(runs.get(run.name) ?? []), run]);
  const containers: readonly (Container | EphemeralContainer)[] = pod.spec[sort] ?? [];
  return containers.map((container) =>
    statusOf(sort, container, runs.get(container.name) ?? [], told.get(container.name), facts),
  );
}

function statusOf(
  sort: ContainerSort,
  container: Container | EphemeralContainer,
  [newest, previous]: readonly RuntimeContainer[],
  told: ContainerStatus | undefined,
  facts: ContainerFacts,
): ContainerStatus {
  const { pod, runtimeName } = facts;
  const base =
    newest === undefined
      ? statusWithoutRun(sort, container, told, pod)
      : statusOfRun(newest, previous, told, runtimeName);
  const status = waitingIfDue(sort, container, newest, base, facts);
  const isRunning = status.state?.running !== undefined;
  const started = isRunning && newest !== undefined && facts.isStarted(newest);
  return {
    ...status,
    ...mountsOf(container),
    ...(newest === undefined ? {} : resourcesOf(container, isRunning ? facts.actuated?.[container.name] : undefined)),
    // Containers to debug with have no probes: nobody asks.
    ...(sort === "ephemeralContainers" ? {} : { started }),
    ready: isContainerReady(sort, container, newest, status, started, facts),
  };
}

function isContainerReady(
  sort: ContainerSort,
  container: Container | EphemeralContainer,
  run: RuntimeContainer | undefined,
  { state }: ContainerStatus,
  started: boolean,
  { isReady }: ContainerFacts,
): boolean {
  if (sort === "initContainers" && !isSidecar(container)) return state?.terminated?.exitCode === 0;
  if (sort === "ephemeralContainers") return false;
  return started && run !== undefined && isReady(run);
}

/** Nothing is known of it: it has not been made yet, or its record is gone. */
function statusWithoutRun(
  sort: ContainerSort,
  { name, image = "" }: Container | EphemeralContainer,
  told: ContainerStatus | undefined,
  { spec }: Pod,
): ContainerStatus {
  if (told?.state?.terminated !== undefined) return told;
  const initializes = sort === "initContainers" || (spec.initContainers ?? []).length > 0;
  const reason = initializes ? "PodInitializing" : "ContainerCreating";
  const restartCount = told?.restartCount ?? 0;
  const fresh = { name, image, imageID: "", ready: false, state: { waiting: { reason } } };
  if (told?.state?.running === undefined) return { ...fresh, restartCount, lastState: told?.lastState ?? {} };
  // It ran and cannot be found any more: how it ended is not known, only that it did.
  const lastState = { terminated: lostRun(told.state.running.startedAt, told.containerID) };
  return { ...fresh, restartCount: restartCount + 1, lastState };
}

function statusOfRun(
  run: RuntimeContainer,
  previous: RuntimeContainer | undefined,
  told: ContainerStatus | undefined,
  runtimeName: string,
): ContainerStatus {
  const { name, image, imageId, restartCount, user } = run;
  return {
    name,
    image,
    imageID: imageId,
    containerID: `${runtimeName}://${run.id}`,
    ready: false,
    restartCount,
    state: stateOf(run, told, runtimeName),
    lastState: previous === undefined ? lastStateBefore(run, told) : stateOf(previous, undefined, runtimeName),
    ...(user === undefined ? {} : { user: { linux: { ...user, supplementalGroups: [...user.supplementalGroups] } } }),
  };
}

function stateOf(run: RuntimeContainer, told: ContainerStatus | undefined, runtimeName: string): ContainerState {
  const containerID = `${runtimeName}://${run.id}`;
  switch (run.state) {
    case "running":
      return { running: { startedAt: timeOfMs(run.startedAtMs) } };
    case "exited":
      return {
        terminated: {
          exitCode: run.exitCode,
          reason: run.reason || (run.exitCode === 0 ? "Completed" : "Error"),
          ...(run.message === "" ? {} : { message: run.message }),
          // A run that never began has the runtime's time of 0.
          startedAt: timeOfMs(run.startedAtMs),
          finishedAt: timeOfMs(run.finishedAtMs),
          containerID,
        },
      };
    case "created":
      return { waiting: {} };
    case "unknown":
      return told?.state?.running === undefined
        ? { waiting: {} }
        : { terminated: lostRun(told.state.running.startedAt, containerID) };
  }
}

function lostRun(startedAt: string | null, containerID: string | undefined): NonNullable<ContainerState["terminated"]> {
  return {
    exitCode: 137,
    reason: "ContainerStatusUnknown",
    message: "The container could not be located when the pod was terminated",
    startedAt,
    finishedAt: null,
    ...(containerID === undefined ? {} : { containerID }),
  };
}

/** The run before is gone from the runtime: what was told of it stays good. */
function lastStateBefore(newest: RuntimeContainer, told: ContainerStatus | undefined): ContainerState {
  if (newest.restartCount === 0 || told === undefined) return {};
  if (told.restartCount === newest.restartCount) return told.lastState ?? {};
  const { terminated } = told.state ?? {};
  return terminated === undefined ? (told.lastState ?? {}) : { terminated };
}

/** A container that is to be started and could not be waits, and how it ended is its last state. */
function waitingIfDue(
  sort: ContainerSort,
  container: Container | EphemeralContainer,
  newest: RuntimeContainer | undefined,
  status: ContainerStatus,
  { pod, waiting }: ContainerFacts,
): ContainerStatus {
  const why = waiting.get(container.name);
  if (why === undefined) return status;
  const isDone =
    sort === "initContainers" && !isSidecar(container) && newest?.state === "exited" && newest.exitCode === 0;
  const isDue = sort === "ephemeralContainers" ? newest === undefined : shouldStart(pod, container, newest);
  if (isDone || !isDue) return status;
  const { reason, message } = why;
  const lastState = status.state?.terminated === undefined ? status.lastState : { terminated: status.state.terminated };
  return { ...status, state: { waiting: { reason, message } }, lastState };
}

function mountsOf({ volumeMounts }: Container | EphemeralContainer): Pick<ContainerStatus, "volumeMounts"> {
  if (!volumeMounts?.length) return {};
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly, recursiveReadOnly }) => ({
      name,
      mountPath,
      ...(readOnly ? { readOnly, recursiveReadOnly: recursiveReadOnly === "Enabled" ? "Enabled" : "Disabled" } : {}),
    })),
  };
}

/** What it has, as the runtime was told last, and what was set aside for it. */
function resourcesOf({ resources = {} }: Container | EphemeralContainer, told: ContainerAmounts[string] | undefined) {
  const { requests = {}, claims } = resources;
  const has = told === undefined ? resources : { ...told, ...(claims === undefined ? {} : { claims }) };
  return { resources: has, ...(Object.keys(requests).length === 0 ? {} : { allocatedResources: requests }) };
}
