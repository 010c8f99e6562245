// The standard functions over timestamps and durations. Without a time zone they answer in UTC.

import { declareFunction, type FunctionDeclaration, type Library, memberOverload } from "../declarations.ts";
import { CelError } from "../errors.ts";
import { type CalendarFields, calendarFields, durationNanos } from "../operations/time.ts";
import { DURATION, INT, STRING, TIMESTAMP } from "../types.ts";
import type { CelDuration, CelTimestamp, CelValue } from "../values.ts";

export const standardTime: Library = {
  name: "standard time functions",
  functions: [
    getter("getFullYear", "year", (fields) => fields.year),
    getter("getMonth", "month", (fields) => fields.month),
    getter("getDayOfYear", "day_of_year", (fields) => fields.dayOfYear),
    getter("getDayOfMonth", "day_of_month", (fields) => fields.dayOfMonth - 1),
    getter("getDate", "day_of_month_1_based", (fields) => fields.dayOfMonth),
    getter("getDayOfWeek", "day_of_week", (fields) => fields.dayOfWeek),
    getter("getHours", "hours", (fields) => fields.hours, 3_600_000_000_000n),
    getter("getMinutes", "minutes", (fields) => fields.minutes, 60_000_000_000n),
    getter("getSeconds", "seconds", (fields) => fields.seconds, 1_000_000_000n),
    getter("getMilliseconds", "milliseconds", (fields) => fields.milliseconds, 1_000_000n),
  ],
};

/** A calendar field of a timestamp and, with a unit, the whole count of that unit in a duration. */
function getter(
  name: string,
  id: string,
  read: (fields: CalendarFields) => number,
  unitNanos?: bigint,
): FunctionDeclaration {
  const field = (time: CelTimestamp, zone?: string): CelValue => {
    const fields = calendarFields(time, zone);
    return fields instanceof CelError ? fields : read(fields);
  };
  const overloads = [
    memberOverload(`timestamp_to_${id}`, [TIMESTAMP], INT, (time: CelTimestamp) => field(time)),
    memberOverload(`timestamp_to_${id}_${id === "seconds" ? "tz" : "with_tz"}`, [TIMESTAMP, STRING], INT, field),
  ];
  if (unitNanos !== undefined) {
    const count = (span: CelDuration): CelValue => {
      const nanos = durationNanos(span);
      // Milliseconds are those of the whole span, like the larger units.
      return Number(nanos / unitNanos);
    };
    overloads.push(memberOverload(`duration_to_${id}`, [DURATION], INT, count));
  }
  return declareFunction(name, ...overloads);
}
