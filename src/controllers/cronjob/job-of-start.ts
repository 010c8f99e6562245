// The Job that a CronJob starts at a moment of its schedule. Pure.

import { cloneJson } from "../../base/json.ts";
import type { Stored } from "../../client/informer.ts";
import type { CronJob } from "../../kinds/batch/cron-job.ts";
import type { Job } from "../../kinds/batch/job.ts";
import type { Draft } from "../../kinds/define-kind.ts";
import type { Names } from "../../meta/names.ts";
import { timeOfMs } from "../../meta/time.ts";
import { zoneOffsetMs } from "./zone-offset.ts";

/** One name for one start: whoever comes second, after a crash or with an old cache, finds the first. */
export function jobName(cronJobName: string, scheduledMs: number): string {
  return `${cronJobName}-${Math.floor(scheduledMs / 60_000)}`;
}

export function jobOfStart(cronJob: Stored<CronJob>, scheduledMs: number, names: Names): Draft<Job> {
  const { jobTemplate, timeZone = "UTC" } = cronJob.spec;
  const { labels, annotations } = jobTemplate.metadata ?? {};
  const { name, namespace, uid } = cronJob.metadata;
  return {
    metadata: {
      name: jobName(name, scheduledMs),
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...labels },
      annotations: { ...annotations, [names.cronJobScheduledAnnotation]: timeInZone(scheduledMs, timeZone) },
      ownerReferences: [
        { apiVersion: "batch/v1", kind: "CronJob", name, uid, controller: true, blockOwnerDeletion: true },
      ],
    },
    spec: cloneJson(jobTemplate.spec ?? {}) as Draft<Job>["spec"] & object,
  };
}

/** 2030-01-01T01:00:00+01:00. */
function timeInZone(epochMs: number, zone: string): string {
  const offsetMs = zoneOffsetMs(zone, epochMs);
  const utc = timeOfMs(epochMs + offsetMs);
  if (offsetMs === 0) return utc;
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${utc.slice(0, -1)}${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
