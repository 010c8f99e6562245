// What the table of pods says about a pod: one word for its state, ready and restarted containers. Pure.

import type { ContainerStatus } from "../core/pod/container-status.ts";
import type { Pod } from "../core/pod/schema.ts";
import type { CellContext } from "../define-kind.ts";
import { ageCell } from "./age.ts";
import { rowFields } from "./row-fields.ts";

/** What the row of a pod is made of. */
export const POD_ROW_FIELDS = rowFields(
  "metadata.deletionTimestamp",
  "spec.containers.name",
  "spec.initContainers.name",
  "spec.initContainers.restartPolicy",
  "spec.nodeName",
  "spec.readinessGates",
  "status.conditions.type",
  "status.conditions.status",
  "status.conditions.reason",
  "status.phase",
  "status.reason",
  "status.nominatedNodeName",
  "status.podIPs",
  ...["status.initContainerStatuses", "status.containerStatuses"].flatMap((list) =>
    ["name", "ready", "started", "restartCount", "state", "lastState.terminated.finishedAt"].map(
      (field) => `${list}.${field}`,
    ),
  ),
);

interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: string;
}

let last: { readonly pod: Pod; readonly nowMs: number; readonly summary: PodSummary } | undefined;

/** Three columns ask for it, one after the other. */
export function summarizePod(pod: Pod, context: CellContext): PodSummary {
  if (last?.pod !== pod || last.nowMs !== context.nowMs)
    last = { pod, nowMs: context.nowMs, summary: summarize(pod, context) };
  return last.summary;
}

/**
 * Upstream's summary. The status starts as the phase; a container that waits or has failed overrides it, an init
 * container that has not finished overrides that (`Init:1/3`), deletion overrides all.
 */
function summarize(pod: Pod, context: CellContext): PodSummary {
  const init = summarizeInitContainers(pod);
  const isInitialized = !init.isInitializing || hasTrueCondition(pod, "Initialized");
  const main = isInitialized ? summarizeContainers(pod, init.reason) : undefined;

  const sidecars = restartableInitContainers(pod);
  // Init containers behind the one that still runs have not been looked at.
  const seen = initStatuses(pod).slice(0, init.seen);
  const restarted = main === undefined ? seen : [...seen.filter(isOneOf(sidecars)), ...statuses(pod)];
  const readyCount = init.readySidecars + (main?.ready ?? 0);
  return {
    ready: `${readyCount}/${(pod.spec.containers ?? []).length + sidecars.size}`,
    status: deletionReason(pod) ?? main?.reason ?? init.reason,
    restarts: restartsText(restarted, context),
  };
}

function podReason(pod: Pod): string {
  const gated = (pod.status.conditions ?? []).some(
    (condition) => condition.type === "PodScheduled" && condition.reason === "SchedulingGated",
  );
  return gated ? "SchedulingGated" : pod.status.reason || (pod.status.phase ?? "");
}

interface InitSummary {
  readonly reason: string;
  readonly isInitializing: boolean;
  readonly readySidecars: number;
  readonly seen: number;
}

function summarizeInitContainers(pod: Pod): InitSummary {
  const sidecars = restartableInitContainers(pod);
  let readySidecars = 0;
  let seen = 0;
  for (const container of initStatuses(pod)) {
    seen++;
    const { terminated, waiting } = container.state;
    if (terminated?.exitCode === 0) continue;
    if (sidecars.has(container.name) && container.started === true) {
      if (container.ready) readySidecars++;
      continue;
    }
    const isWaiting = waiting?.reason && waiting.reason !== "PodInitializing";
    const why = terminated
      ? terminatedReason(terminated)
      : isWaiting
        ? waiting.reason
        : `${seen - 1}/${(pod.spec.initContainers ?? []).length}`;
    return { reason: `Init:${why}`, isInitializing: true, readySidecars, seen };
  }
  return { reason: podReason(pod), isInitializing: false, readySidecars, seen };
}

function summarizeContainers(pod: Pod, initial: string): { reason: string; ready: number } {
  let reason = initial;
  let ready = 0;
  for (const container of statuses(pod).reverse()) {
    const { waiting, terminated, running } = container.state;
    if (waiting?.reason) reason = waiting.reason;
    else if (terminated) reason = terminatedReason(terminated);
    else if (container.ready && running) ready++;
  }
  // One container has completed, another still runs: the pod does.
  if (reason === "Completed" && ready > 0) reason = hasTrueCondition(pod, "Ready") ? "Running" : "NotReady";
  return { reason, ready };
}

function terminatedReason(terminated: { reason?: string; signal?: number; exitCode: number }): string {
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode}`;
}

function deletionReason({ metadata, status }: Pod): string | undefined {
  if (!metadata.deletionTimestamp) return undefined;
  if (status.reason === "NodeLost") return "Unknown";
  return status.phase === "Failed" || status.phase === "Succeeded" ? undefined : "Terminating";
}

function restartsText(containers: readonly ContainerStatus[], context: CellContext): string {
  const count = containers.reduce((sum, container) => sum + container.restartCount, 0);
  const finished = containers.map((container) => container.lastState.terminated?.finishedAt ?? "").sort();
  const last = finished.at(-1);
  return count === 0 || !last ? String(count) : `${count} (${ageCell(last, context)} ago)`;
}

/** `1/2` of the readiness gates are true. */
export function readinessGatesCell(pod: Pod): string {
  const gates = pod.spec.readinessGates ?? [];
  if (gates.length === 0) return "<none>";
  return `${gates.filter((gate) => hasTrueCondition(pod, gate.conditionType)).length}/${gates.length}`;
}

function restartableInitContainers(pod: Pod): ReadonlySet<string> {
  const sidecars = (pod.spec.initContainers ?? []).filter((container) => container.restartPolicy === "Always");
  return new Set(sidecars.map((container) => container.name));
}

function hasTrueCondition(pod: Pod, type: string): boolean {
  return (pod.status.conditions ?? []).find((condition) => condition.type === type)?.status === "True";
}

const statuses = (pod: Pod): ContainerStatus[] => [...(pod.status.containerStatuses ?? [])];
const initStatuses = (pod: Pod): ContainerStatus[] => [...(pod.status.initContainerStatuses ?? [])];
const isOneOf = (names: ReadonlySet<string>) => (container: ContainerStatus) => names.has(container.name);
