// Which start of a CronJob is due, and when the next one is. Pure: the time comes in.

import type { CronSchedule } from "../../kinds/batch/cron-schedule.ts";
import { firstAfter, lastUntil } from "./schedule-times.ts";

interface StartQuestion {
  readonly schedule: CronSchedule;
  /** The zone that the CronJob names, where the schedule itself names none. */
  readonly zone: string | undefined;
  readonly createdMs: number;
  readonly lastStartMs: number | undefined;
  readonly startingDeadlineSeconds: number | undefined;
  readonly nowMs: number;
}

export interface DueStart {
  /** The latest moment of the schedule that has not been served; undefined when there is none. */
  readonly dueMs: number | undefined;
  /** More starts were missed than anybody would want to catch up with: a clock is wrong, or a deadline is missing. */
  readonly tooManyMissed: boolean;
  /** When the next moment comes; undefined when the schedule names none any more. */
  readonly nextMs: number | undefined;
}

const MAX_MISSED = 100;

export function dueStart(question: StartQuestion): DueStart {
  const { schedule, zone, nowMs, startingDeadlineSeconds } = question;
  const servedMs = question.lastStartMs ?? question.createdMs;
  // What is older than the deadline is not started any more.
  const deadlineMs =
    startingDeadlineSeconds === undefined ? Number.NEGATIVE_INFINITY : nowMs - startingDeadlineSeconds * 1000;
  const earliestMs = Math.max(servedMs, deadlineMs);
  const dueMs = lastUntil(schedule, zone, earliestMs, nowMs);
  return {
    dueMs,
    tooManyMissed: dueMs !== undefined && countMissed(schedule, zone, earliestMs, nowMs) > MAX_MISSED,
    // Intervals are counted from the last start, whether or not that was within the deadline.
    nextMs: firstAfter(schedule, zone, lastUntil(schedule, zone, servedMs, nowMs) ?? servedMs),
  };
}

/** Roughly, from the distance of the first two, so that the work does not grow with the number. */
function countMissed(schedule: CronSchedule, zone: string | undefined, earliestMs: number, nowMs: number): number {
  const first = firstAfter(schedule, zone, earliestMs);
  const second = first === undefined ? undefined : firstAfter(schedule, zone, first);
  if (first === undefined || first > nowMs) return 0;
  if (second === undefined || second > nowMs) return 1;
  return Math.floor((nowMs - first) / (second - first)) + 1;
}
