// The moments of schedules, with the cases of upstream's cron library and those where clocks are set.

import { describe, expect, it } from "vitest";
import { type CronSchedule, parseSchedule } from "../../kinds/batch/cron-schedule.ts";
import { firstAfter, lastUntil } from "./schedule-times.ts";

const schedule = (text: string): CronSchedule => {
  const parsed = parseSchedule(text);
  if (typeof parsed === "string") throw new Error(parsed);
  return parsed;
};
const iso = (ms: number | undefined) => (ms === undefined ? undefined : new Date(ms).toISOString().replace(".000", ""));
const next = (text: string, zone: string, after: string) => iso(firstAfter(schedule(text), zone, Date.parse(after)));

describe("the first moment after another", () => {
  const cases: [schedule: string, after: string, moment: string | undefined][] = [
    ["* * * * *", "2030-01-01T00:00:00Z", "2030-01-01T00:01:00Z"],
    ["* * * * *", "2029-12-31T23:59:59.999Z", "2030-01-01T00:00:00Z"],
    ["0/15 * * * *", "2030-07-09T14:45:01Z", "2030-07-09T15:00:00Z"],
    ["20-35/15 * * * *", "2030-07-09T14:36:00Z", "2030-07-09T15:20:00Z"],
    ["5 0-3,12-14 * * *", "2030-07-09T04:00:00Z", "2030-07-09T12:05:00Z"],
    ["0 0 1 * *", "2030-12-15T00:00:00Z", "2031-01-01T00:00:00Z"],
    ["30 6-16/4 * * 1-5", "2030-06-14T14:30:00Z", "2030-06-17T06:30:00Z"],
    // Either of day and weekday is enough when both say something.
    ["0 0 13 * fri", "2030-09-01T00:00:00Z", "2030-09-06T00:00:00Z"],
    ["0 0 13 * *", "2030-09-01T00:00:00Z", "2030-09-13T00:00:00Z"],
    ["0 0 */2 * sun", "2030-09-01T00:00:00Z", "2030-09-03T00:00:00Z"],
    ["0 0 29 2 *", "2030-03-01T00:00:00Z", "2032-02-29T00:00:00Z"],
    ["0 0 31 feb *", "2030-01-01T00:00:00Z", undefined],
    [", * * * *", "2030-01-01T00:00:00Z", undefined],
    ["@hourly", "2030-01-01T00:00:00Z", "2030-01-01T01:00:00Z"],
    ["@weekly", "2030-01-01T00:00:00Z", "2030-01-06T00:00:00Z"],
    ["@yearly", "2030-01-01T00:00:00Z", "2031-01-01T00:00:00Z"],
    ["@every 90m", "2030-01-01T00:00:10.500Z", "2030-01-01T01:30:10Z"],
    ["TZ=Asia/Tokyo 0 6 * * *", "2030-01-01T00:00:00Z", "2030-01-01T21:00:00Z"],
    ["CRON_TZ=UTC 0 6 * * *", "2030-01-01T00:00:00Z", "2030-01-01T06:00:00Z"],
  ];
  it.each(cases)("%s after %s is %s", (text, after, moment) => {
    expect(next(text, "UTC", after)).toBe(moment);
  });

  const zoned: [what: string, schedule: string, zone: string, after: string, moments: string[]][] = [
    [
      "clocks set forward leave out what is between",
      "30 2 * * *",
      "America/New_York",
      "2012-03-10T08:00:00Z",
      ["2012-03-12T06:30:00Z", "2012-03-13T06:30:00Z"],
    ],
    [
      "an hourly start goes on over the gap",
      "0 * * * *",
      "America/New_York",
      "2012-03-11T05:30:00Z",
      ["2012-03-11T06:00:00Z", "2012-03-11T07:00:00Z", "2012-03-11T08:00:00Z"],
    ],
    [
      "clocks set back name a minute twice",
      "30 1 * * *",
      "America/New_York",
      "2012-11-04T00:00:00Z",
      ["2012-11-04T05:30:00Z", "2012-11-04T06:30:00Z", "2012-11-05T06:30:00Z"],
    ],
    [
      "a day without midnight has no start at midnight",
      "0 0 * * *",
      "America/Sao_Paulo",
      "2018-11-03T04:00:00Z",
      ["2018-11-05T02:00:00Z"],
    ],
    [
      "and has the rest of its hours",
      "0 12 4 11 *",
      "America/Sao_Paulo",
      "2018-11-03T04:00:00Z",
      ["2018-11-04T14:00:00Z"],
    ],
    [
      "half an hour is set back",
      "45 1 * * *",
      "Australia/Lord_Howe",
      "2024-04-06T13:00:00Z",
      ["2024-04-06T14:45:00Z", "2024-04-06T15:15:00Z"],
    ],
    ["a day that an island skipped", "0 12 30 12 *", "Pacific/Apia", "2011-12-29T00:00:00Z", ["2012-12-29T22:00:00Z"]],
    ["a zone with odd minutes", "0 0 * * *", "Asia/Kathmandu", "2030-01-01T00:00:00Z", ["2030-01-01T18:15:00Z"]],
  ];
  it.each(zoned)("%s", (_what, text, zone, after, moments) => {
    let at = after;
    for (const moment of moments) {
      expect(next(text, zone, at)).toBe(moment);
      at = moment;
    }
  });
});

describe("the last moment until another", () => {
  const cases: [schedule: string, zone: string, after: string, until: string, moment: string | undefined][] = [
    ["* * * * *", "UTC", "2030-01-01T00:00:00Z", "2030-06-01T10:00:30Z", "2030-06-01T10:00:00Z"],
    ["0 * * * *", "UTC", "2030-01-01T00:00:00Z", "2030-01-01T01:00:00Z", "2030-01-01T01:00:00Z"],
    ["0 * * * *", "UTC", "2030-01-01T01:00:00Z", "2030-01-01T01:59:59Z", undefined],
    ["30 6-16/4 * * 1-5", "UTC", "2030-06-01T00:00:00Z", "2030-06-17T03:00:00Z", "2030-06-14T14:30:00Z"],
    ["0 0 31 2 *", "UTC", "2000-01-01T00:00:00Z", "2030-01-01T00:00:00Z", undefined],
    ["30 1 * * *", "America/New_York", "2012-11-01T00:00:00Z", "2012-11-04T07:00:00Z", "2012-11-04T06:30:00Z"],
    ["@every 7m", "UTC", "2030-01-01T00:00:03Z", "2030-01-01T01:00:00Z", "2030-01-01T00:56:03Z"],
    ["@every 7m", "UTC", "2030-01-01T00:00:03Z", "2030-01-01T00:07:00Z", undefined],
  ];
  it.each(cases)("%s in %s after %s until %s is %s", (text, zone, after, until, moment) => {
    expect(iso(lastUntil(schedule(text), zone, Date.parse(after), Date.parse(until)))).toBe(moment);
  });

  it("and the first after it are the only moments between, whatever the zone", () => {
    const texts = ["*/7 */5 * * *", "30 1-3 * * *", "0 0 1,15 * wed", "59 23 * * *"];
    for (const zone of ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo"]) {
      for (const text of texts) {
        let at: number | undefined = Date.parse("2018-10-20T00:00:00Z");
        for (let i = 0; i < 60; i += 1) {
          const before: number = at!;
          at = firstAfter(schedule(text), zone, before);
          expect(at).toBeGreaterThan(before);
          expect(lastUntil(schedule(text), zone, before, at! + 59_999)).toBe(at);
          expect(lastUntil(schedule(text), zone, before, at! - 1)).toBeUndefined();
        }
      }
    }
  });
});
