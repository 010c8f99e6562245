// Which start is due: upstream's rules of missed starts and deadlines.

import { describe, expect, it } from "vitest";
import { type CronSchedule, parseSchedule } from "../../kinds/batch/cron-schedule.ts";
import { dueStart } from "./due-start.ts";

const CREATED = "2030-05-19T08:00:30Z";

interface Case {
  readonly schedule?: string;
  readonly last?: string;
  readonly deadline?: number;
  readonly now: string;
  readonly due?: string;
  readonly next: string;
  readonly many?: true;
}

describe("the start that is due", () => {
  const cases: [what: string, given: Case][] = [
    ["none before the first moment", { now: "2030-05-19T08:59:00Z", next: "2030-05-19T09:00:00Z" }],
    ["the first", { now: "2030-05-19T09:00:00Z", due: "2030-05-19T09:00:00Z", next: "2030-05-19T10:00:00Z" }],
    [
      "none when the last was that",
      { last: "2030-05-19T09:00:00Z", now: "2030-05-19T09:30:00Z", next: "2030-05-19T10:00:00Z" },
    ],
    [
      "the latest of several",
      {
        last: "2030-05-19T09:00:00Z",
        now: "2030-05-19T14:30:00Z",
        due: "2030-05-19T14:00:00Z",
        next: "2030-05-19T15:00:00Z",
      },
    ],
    [
      "one hundred missed are not too many",
      {
        schedule: "* * * * *",
        last: "2030-05-19T09:00:00Z",
        now: "2030-05-19T10:40:30Z",
        due: "2030-05-19T10:40:00Z",
        next: "2030-05-19T10:41:00Z",
      },
    ],
    [
      "one more is",
      {
        schedule: "* * * * *",
        last: "2030-05-19T09:00:00Z",
        now: "2030-05-19T10:41:30Z",
        due: "2030-05-19T10:41:00Z",
        next: "2030-05-19T10:42:00Z",
        many: true,
      },
    ],
    [
      "a clock that is years wrong costs nothing",
      {
        schedule: "* * 1-31 1 *",
        last: "1970-01-01T00:00:00Z",
        now: "2030-03-01T00:00:00Z",
        due: "2030-01-31T23:59:00Z",
        next: "2031-01-01T00:00:00Z",
        many: true,
      },
    ],
    [
      "with a deadline only what is within counts as missed",
      {
        schedule: "* * * * *",
        last: "2030-05-19T09:00:00Z",
        deadline: 600,
        now: "2030-05-19T12:00:30Z",
        due: "2030-05-19T12:00:00Z",
        next: "2030-05-19T12:01:00Z",
      },
    ],
    [
      "nothing that is past its deadline",
      { last: "2030-05-19T09:00:00Z", deadline: 600, now: "2030-05-19T10:15:00Z", next: "2030-05-19T11:00:00Z" },
    ],
    [
      "intervals count from the last start",
      {
        schedule: "@every 1h30m",
        last: "2030-05-19T09:00:10Z",
        now: "2030-05-19T12:10:00Z",
        due: "2030-05-19T12:00:10Z",
        next: "2030-05-19T13:30:10Z",
      },
    ],
    [
      "a last start in the future is waited for",
      { last: "2030-05-19T20:00:00Z", now: "2030-05-19T10:15:00Z", next: "2030-05-19T21:00:00Z" },
    ],
  ];
  it.each(cases)("%s", (_what, { schedule = "0 * * * *", last, deadline, now, due, next, many }) => {
    const ms = (text: string | undefined) => (text === undefined ? undefined : Date.parse(text));
    expect(
      dueStart({
        schedule: parseSchedule(schedule) as CronSchedule,
        zone: "UTC",
        createdMs: Date.parse(CREATED),
        lastStartMs: ms(last),
        startingDeadlineSeconds: deadline,
        nowMs: Date.parse(now),
      }),
    ).toEqual({ dueMs: ms(due), nextMs: ms(next), tooManyMissed: many ?? false });
  });

  it("never comes where the schedule names nothing", () => {
    const schedule = parseSchedule("59 23 31 2 *") as CronSchedule;
    const nowMs = Date.parse("2030-01-01T00:00:00Z");
    const question = {
      schedule,
      zone: "UTC",
      createdMs: 0,
      lastStartMs: undefined,
      startingDeadlineSeconds: undefined,
    };
    expect(dueStart({ ...question, nowMs })).toEqual({ dueMs: undefined, nextMs: undefined, tooManyMissed: false });
  });
});
