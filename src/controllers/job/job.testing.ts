// Jobs and their pods as caches show them, for tests of rules.

import type { Stored } from "../../client/informer.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Pod } from "../../kinds/core/pod.ts";
import { namesFor } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import type { JobState } from "./assess-job.ts";
import { NO_FAILURES } from "./pod-backoff.ts";

export const names = namesFor("kubernetes");
export const NOW_MS = Date.parse("2030-01-01T12:00:00Z");

export function testJob(spec: Partial<Job["spec"]> = {}, status: Partial<Job["status"]> = {}): Stored<Job> {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j", namespace: "n", uid: "job", resourceVersion: "1", creationTimestamp: timeOfMs(NOW_MS) },
    spec: {
      parallelism: 2,
      completions: 4,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      podReplacementPolicy: "TerminatingOrFailed",
      template: {
        metadata: {},
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i", resources: {} }] },
      },
      ...spec,
    },
    status: { startTime: timeOfMs(NOW_MS), ...status },
  };
}

export interface TestJobPod {
  readonly phase?: NonNullable<Pod["status"]["phase"]>;
  readonly index?: number | string;
  readonly ending?: boolean;
  readonly finalizer?: boolean;
  readonly exitCode?: number;
  readonly condition?: string;
  readonly endedMs?: number;
  readonly restarts?: number;
  readonly failuresBefore?: number;
  readonly ignoredBefore?: number;
}

export function jobPod(name: string, pod: TestJobPod = {}): Stored<Pod> {
  const { phase = "Running", index, ending = false, finalizer = true, condition, restarts = 0 } = pod;
  const { exitCode, endedMs = exitCode === undefined ? undefined : NOW_MS, failuresBefore, ignoredBefore } = pod;
  const annotations = {
    ...(index === undefined ? {} : { [names.completionIndexAnnotation]: String(index) }),
    ...(failuresBefore === undefined ? {} : { [names.indexFailureCountAnnotation]: String(failuresBefore) }),
    ...(ignoredBefore === undefined ? {} : { [names.indexIgnoredFailureCountAnnotation]: String(ignoredBefore) }),
  };
  const terminated = { exitCode: exitCode ?? 0, finishedAt: timeOfMs(endedMs ?? 0), startedAt: null };
  return {
    metadata: {
      name,
      namespace: "n",
      uid: `uid-${name}`,
      resourceVersion: "1",
      creationTimestamp: timeOfMs(NOW_MS - 3_600_000),
      annotations,
      ...(finalizer ? { finalizers: [names.jobTrackingFinalizer] } : {}),
      ...(ending ? { deletionTimestamp: timeOfMs(NOW_MS), deletionGracePeriodSeconds: 30 } : {}),
    },
    spec: { containers: [{ name: "c", image: "i", resources: {} }] },
    status: {
      phase,
      ...(condition === undefined
        ? {}
        : { conditions: [{ type: condition, status: "True", lastProbeTime: null, lastTransitionTime: null }] }),
      containerStatuses: [
        {
          name: "c",
          image: "i",
          imageID: "",
          ready: false,
          restartCount: restarts,
          state: endedMs === undefined ? {} : { terminated },
          lastState: {},
        },
      ],
    },
  };
}

export function jobState(job: Stored<Job>, pods: readonly Stored<Pod>[], more: Partial<JobState> = {}): JobState {
  return { job, pods, released: new Set(), backoff: NO_FAILURES, names, nowMs: NOW_MS, ...more };
}

export const namesOf = (pods: readonly Stored<Pod>[]): string[] => pods.map(({ metadata }) => metadata.name);
