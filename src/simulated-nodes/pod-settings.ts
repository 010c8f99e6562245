// How a pod behaves on a simulated node, as its annotations and its spec say. Pure.

import type { Pod } from "../kinds/core/pod.ts";
import { durationMs } from "../meta/duration.ts";

export interface PodSettings {
  /** From the moment the node has taken the pod until its containers run. */
  readonly startAfterMs: number;
  /** From then until its containers end; undefined: they run on. */
  readonly finishAfterMs: number | undefined;
  readonly exitCode: number;
  /** From the request to stop until the containers have ended; their grace period is the limit. */
  readonly stopAfterMs: number;
}

const SETTING_ANNOTATIONS = {
  startAfter: "simulation/start-after",
  finishAfter: "simulation/finish-after",
  exitCode: "simulation/exit-code",
  stopAfter: "simulation/stop-after",
} as const;

const START_AFTER_MS = 1_000;
const FINISH_AFTER_MS = 2_000;
/** A day: longer is a typing error. */
const MAX_MS = 86_400_000;

/** What cannot be read counts as not said. */
export function podSettings(
  annotations: Readonly<Record<string, string>> | undefined,
  { restartPolicy, containers }: Pick<Pod["spec"], "restartPolicy" | "containers">,
): PodSettings {
  const said = (key: string): string | undefined =>
    annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  const duration = (key: string): number | undefined => {
    const ms = durationMs(said(key) ?? "");
    return ms !== undefined && ms >= 0 ? Math.min(ms, MAX_MS) : undefined;
  };
  const exitCode = Number(said(SETTING_ANNOTATIONS.exitCode) ?? "0");
  // What never ends by itself is made to be restarted; the rest is a task.
  const isTask = restartPolicy === "Never" || restartPolicy === "OnFailure";
  return {
    startAfterMs: duration(SETTING_ANNOTATIONS.startAfter) ?? START_AFTER_MS,
    finishAfterMs: duration(SETTING_ANNOTATIONS.finishAfter) ?? (isTask ? FINISH_AFTER_MS : undefined),
    exitCode: Number.isInteger(exitCode) && exitCode >= 0 && exitCode <= 255 ? exitCode : 0,
    // Of hooks only a pause can be followed: nothing is there to run the others.
    stopAfterMs:
      duration(SETTING_ANNOTATIONS.stopAfter) ??
      Math.max(0, ...(containers ?? []).map(({ lifecycle }) => 1000 * (lifecycle?.preStop?.sleep?.seconds ?? 0))),
  };
}
