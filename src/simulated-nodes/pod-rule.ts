// What happens next to a pod on a simulated node. Pure, and a function of what its status says, so that a restart of the
// process loses nothing:
//
//   bound -> taken (Pending) -> running -> ended (tasks), or crashed -> running again (restart policy)
//   deleted at any point -> containers ended -> gone
//
// A node that is behind says only where a pod has got to: not what is over by then. Where many pods start at once, nothing is
// said of those that will run in a moment until they do: half of what is written about a pod would be about its first second.

import type { Stored } from "../client/informer.ts";
import type { Pod } from "../kinds/core/pod.ts";
import { type PodSettings, podSettings } from "./pod-settings.ts";
import {
  acceptedStatus,
  containerStatusOf,
  crashedStatus,
  endedStatus,
  gatesVerdict,
  type PodFacts,
  type PodStatus,
  restartDelayMs,
  runningStatus,
  seenStatus,
} from "./pod-status.ts";
import { type ResizeProblem, toldProblem, wantsOtherResources } from "./resize-rule.ts";

type PodStep =
  /** To the server; `begins` says whether the pod gets to where it was not before. */
  | { readonly type: "report"; readonly status: PodStatus; readonly begins: boolean }
  | { readonly type: "wait"; readonly untilMs: number }
  /** From the server, for good. */
  | { readonly type: "remove" }
  | { readonly type: "nothing" };

interface PodMoment extends Omit<PodFacts, "resizePending"> {
  /** Why the node does not give the pod the resources that it asks for. */
  readonly resizeProblem?: (pod: Stored<Pod>) => ResizeProblem | undefined;
  /** When the pod got to where it is (bound, taken, running), where that is known better than to the second. */
  readonly sinceMs?: number | undefined;
  /** Whether many others start meanwhile. */
  readonly isBusy?: boolean;
}

const NOTHING: PodStep = { type: "nothing" };
const report = (status: PodStatus): PodStep => ({ type: "report", status, begins: true });
/** So long after its time, the end of a pod that is to be deleted need not be told before it is gone. */
const LATE_MS = 5_000;
/** Nobody misses what is said of a pod for so short a time. */
const SOON_MS = 2_000;
/** As upstream's agent: also without any sign that there is room now. */
const RETRY_RESIZE_MS = 180_000;
const FOREVER = Number.POSITIVE_INFINITY;

export function nextPodStep(pod: Stored<Pod>, moment: PodMoment): PodStep {
  const settings = podSettings(pod.metadata.annotations, pod.spec);
  if (pod.metadata.deletionTimestamp !== undefined) return stopStep(pod, moment, settings);
  const { status } = pod;
  if (isEnded(pod)) return NOTHING;
  if (isMissing(status.startTime)) {
    const { sinceMs, nowMs, isBusy = false } = moment;
    if (sinceMs === undefined) return report(acceptedStatus(pod, moment));
    const dueMs = sinceMs + settings.startAfterMs;
    if (nowMs >= dueMs) return report(running(pod, moment));
    return isBusy && settings.startAfterMs <= SOON_MS
      ? { type: "wait", untilMs: dueMs }
      : report(acceptedStatus(pod, moment));
  }
  const deadlineMs = Date.parse(status.startTime) + (pod.spec.activeDeadlineSeconds ?? FOREVER) * 1000;
  if (moment.nowMs >= deadlineMs) return report(endedStatus(pod, moment, DEADLINE));
  const step = lifeStep(pod, moment, settings);
  if (step.type === "wait") return { type: "wait", untilMs: Math.min(step.untilMs, deadlineMs) };
  return step.type === "nothing" && deadlineMs < FOREVER ? { type: "wait", untilMs: deadlineMs } : step;
}

/** Whether nothing of it runs, nor ever will again. */
export const isEnded = ({ status }: Pod): boolean => status.phase === "Succeeded" || status.phase === "Failed";

const DEADLINE = {
  exitCode: 137,
  reason: "DeadlineExceeded",
  message: "Pod was active on the node longer than the specified deadline",
} as const;

function lifeStep(pod: Stored<Pod>, moment: PodMoment, settings: PodSettings): PodStep {
  const { spec, status } = pod;
  const { nowMs } = moment;
  const states = (spec.containers ?? []).map(({ name }) => containerStatusOf(status.containerStatuses, name));
  if (states.some((each) => each?.state?.running === undefined)) {
    const crashed = states.find((each) => each?.lastState?.terminated !== undefined);
    const dueMs =
      crashed === undefined
        ? (moment.sinceMs ?? Date.parse(status.startTime!)) + settings.startAfterMs
        : readMs(crashed.lastState?.terminated?.finishedAt, nowMs) + restartDelayMs(crashed.restartCount);
    if (nowMs >= dueMs) return report(running(pod, moment));
    if (isBehind(pod)) return { type: "report", status: seenStatus(pod, moment), begins: false };
    return { type: "wait", untilMs: dueMs };
  }
  const resizePending = pendingResize(pod, moment);
  if (isOutOfDate(pod) || !isResizeTold(pod, resizePending))
    return { type: "report", status: runningStatus(pod, { ...moment, resizePending }), begins: false };
  const retryMs = resizePending?.reason === "Deferred" ? nowMs + RETRY_RESIZE_MS : FOREVER;
  const next = runningStep(pod, moment, settings, states[0]);
  if (next.type === "wait") return { type: "wait", untilMs: Math.min(next.untilMs, retryMs) };
  return next.type === "nothing" && retryMs < FOREVER ? { type: "wait", untilMs: retryMs } : next;
}

function runningStep(
  pod: Stored<Pod>,
  moment: PodMoment,
  settings: PodSettings,
  first: ReturnType<typeof containerStatusOf>,
): PodStep {
  const { spec } = pod;
  const { nowMs } = moment;
  if (settings.finishAfterMs === undefined) return NOTHING;
  const startedMs = moment.sinceMs ?? readMs(first?.state?.running?.startedAt, nowMs);
  const dueMs = startedMs + settings.finishAfterMs;
  if (nowMs < dueMs) return { type: "wait", untilMs: dueMs };
  const { exitCode } = settings;
  const restarts = spec.restartPolicy === "Always" || (spec.restartPolicy === "OnFailure" && exitCode !== 0);
  return report(restarts ? crashedStatus(pod, moment, exitCode) : endedStatus(pod, moment, { exitCode }));
}

function stopStep(pod: Stored<Pod>, moment: PodMoment, settings: PodSettings): PodStep {
  const { metadata, status } = pod;
  const graceSeconds = metadata.deletionGracePeriodSeconds ?? 0;
  const isOver = isEnded(pod) || isMissing(status.startTime);
  // Without any grace left the server has been told already: finalizers keep the rest.
  if (isOver) return graceSeconds === 0 ? NOTHING : { type: "remove" };
  const graceMs = graceSeconds * 1000;
  const dueMs = Date.parse(metadata.deletionTimestamp!) - graceMs + Math.min(settings.stopAfterMs, graceMs);
  if (moment.nowMs < dueMs) return { type: "wait", untilMs: dueMs };
  const isKept = (metadata.finalizers?.length ?? 0) > 0;
  if (moment.nowMs - dueMs >= LATE_MS && graceSeconds > 0 && !isKept) return { type: "remove" };
  const killed = settings.stopAfterMs > 0 && settings.stopAfterMs >= graceMs;
  return report(endedStatus(pod, moment, { exitCode: killed ? 137 : 0 }));
}

/** Whether the pod was changed since its status was told; never where the server does not keep what was seen. */
function isBehind({ metadata, status }: Stored<Pod>): boolean {
  return status.observedGeneration !== undefined && status.observedGeneration !== metadata.generation;
}

/** Asked for only while a pod wants something else than it has: it means to look at all pods of the node. */
function pendingResize(pod: Stored<Pod>, { resizeProblem }: PodMoment): ResizeProblem | undefined {
  return wantsOtherResources(pod) ? resizeProblem?.(pod) : undefined;
}

/** Whether the status says what has become of the resources that the pod asks for. */
function isResizeTold(pod: Stored<Pod>, pending: ResizeProblem | undefined): boolean {
  if (pending === undefined && wantsOtherResources(pod)) return false;
  const told = toldProblem(pod);
  return told?.reason === pending?.reason && told?.message === pending?.message;
}

const running = (pod: Stored<Pod>, moment: PodMoment): PodStatus =>
  runningStatus(pod, { ...moment, resizePending: pendingResize(pod, moment) });

/** Whether the pod was changed in a way that its status has to follow: its spec, gates, ephemeral containers. */
function isOutOfDate(pod: Stored<Pod>): boolean {
  const { spec, status } = pod;
  if (isBehind(pod)) return true;
  const ready = status.conditions?.find(({ type }) => type === "Ready")?.status;
  if (ready !== gatesVerdict(pod).status) return true;
  return (spec.ephemeralContainers?.length ?? 0) > (status.ephemeralContainerStatuses?.length ?? 0);
}

const isMissing = (time: string | null | undefined): time is null | undefined => time === undefined || time === null;

function readMs(time: string | null | undefined, otherwiseMs: number): number {
  return isMissing(time) ? otherwiseMs : Date.parse(time);
}
