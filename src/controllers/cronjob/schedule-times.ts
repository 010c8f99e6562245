// The moments that a schedule names: the first after a moment, and the last until one.
//
// A schedule in fields names every whole minute whose reading on the wall fits. Where clocks are set forward the minutes
// that are left out never come; where they are set back, those that come twice are named twice.

import type { CronFields, CronSchedule } from "../../kinds/batch/cron-schedule.ts";
import { zoneOffsetMs } from "./zone-offset.ts";

/** A schedule that names no moment within this many days never does: 30 February. */
const MAX_DAYS = 5 * 366;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** The first moment after `afterMs`; undefined when there is none in five years. */
export function firstAfter(schedule: CronSchedule, zone: string | undefined, afterMs: number): number | undefined {
  if (schedule.type === "interval") return wholeSecond(afterMs) + schedule.everyMs;
  return search(schedule, schedule.zone ?? zone, afterMs, 1);
}

/** The last moment after `afterMs` and not after `untilMs`. Intervals are counted from `afterMs` on. */
export function lastUntil(
  schedule: CronSchedule,
  zone: string | undefined,
  afterMs: number,
  untilMs: number,
): number | undefined {
  if (schedule.type === "interval") {
    const startMs = wholeSecond(afterMs);
    const count = Math.floor((untilMs - startMs) / schedule.everyMs);
    return count < 1 ? undefined : startMs + count * schedule.everyMs;
  }
  const last = search(schedule, schedule.zone ?? zone, untilMs, -1);
  return last !== undefined && last > afterMs ? last : undefined;
}

const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000;

/** Forwards: the first after `fromMs`. Backwards: the last until `fromMs`. */
function search(fields: CronFields, zone: string | undefined, fromMs: number, direction: 1 | -1): number | undefined {
  const fits = direction === 1 ? (ms: number) => ms > fromMs : (ms: number) => ms <= fromMs;
  const firstDay = Math.floor((fromMs + zoneOffsetMs(zone, fromMs)) / DAY_MS);
  // One day more on both sides: where a clock is set back over midnight, two days take turns.
  for (let passed = -1; passed <= MAX_DAYS; passed += 1) {
    const day = firstDay + passed * direction;
    const found = nearest(momentsOf(fields, zone, day), fits, direction);
    if (found === undefined) continue;
    const neighbour = nearest(momentsOf(fields, zone, day + direction), fits, direction);
    if (neighbour === undefined) return found;
    return direction === 1 ? Math.min(found, neighbour) : Math.max(found, neighbour);
  }
  return undefined;
}

function nearest(moments: readonly number[], fits: (ms: number) => boolean, direction: 1 | -1): number | undefined {
  return direction === 1 ? moments.find(fits) : moments.findLast(fits);
}

/** All moments of a day of the calendar, in order. `day` counts from 1 January 1970. */
function momentsOf(fields: CronFields, zone: string | undefined, day: number): readonly number[] {
  const startMs = day * DAY_MS;
  if (!dayFits(fields, new Date(startMs))) return [];
  const beforeMs = zoneOffsetMs(zone, startMs - DAY_MS);
  const laterMs = zoneOffsetMs(zone, startMs + 2 * DAY_MS);
  const changeMs = beforeMs === laterMs ? Number.POSITIVE_INFINITY : changeOfOffset(zone, startMs, beforeMs);
  const moments: number[] = [];
  for (const hour of fields.hours) {
    for (const minute of fields.minutes) {
      const wallMs = startMs + (hour * 60 + minute) * MINUTE_MS;
      const early = wallMs - beforeMs;
      if (early < changeMs) moments.push(early);
      const late = wallMs - laterMs;
      if (late >= changeMs) moments.push(late);
    }
  }
  // Minutes that come twice are not in order.
  return changeMs === Number.POSITIVE_INFINITY ? moments : moments.sort((a, b) => a - b);
}

function dayFits(fields: CronFields, date: Date): boolean {
  if (!fields.months.includes(date.getUTCMonth() + 1)) return false;
  const day = fields.days.includes(date.getUTCDate());
  const weekday = fields.weekdays.includes(date.getUTCDay());
  return fields.needsBothDays ? day && weekday : day || weekday;
}

/** The second from which on the offset is no longer `beforeMs`, around the day that starts at `startMs`. */
function changeOfOffset(zone: string | undefined, startMs: number, beforeMs: number): number {
  let low = startMs - DAY_MS;
  let high = startMs + 2 * DAY_MS;
  while (high - low > 1000) {
    const middle = wholeSecond((low + high) / 2);
    if (zoneOffsetMs(zone, middle) === beforeMs) low = middle;
    else high = middle;
  }
  return high;
}
