// What cron jobs must say, and which schedules are schedules.

import { describe, expect, it, vi } from "vitest";
import { completed, context } from "../complete.testing.ts";
import type { Draft } from "../define-kind.ts";
import { all, createErrors, updateErrors } from "../validation.testing.ts";
import { type CronJob, cronJob } from "./cron-job.ts";
import { parseSchedule, timeZoneProblem } from "./cron-schedule.ts";

type Spec = NonNullable<Draft<CronJob>["spec"]>;

const jobTemplate = {
  spec: { template: { spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "i" }] } } },
};
const draft = (spec: Partial<Spec> = {}): Draft<CronJob> => ({
  metadata: { name: "c" },
  spec: { schedule: "* * * * *", jobTemplate, ...spec },
});

describe("CronJob", () => {
  const rows: [string, Draft<CronJob>, string[]][] = [
    ["nothing wrong", draft({ timeZone: "Europe/Berlin" }), []],
    ["no schedule", draft({ schedule: "" }), ["spec.schedule: Required value"]],
    [
      "a zone in the schedule",
      draft({ schedule: "TZ=UTC * * * * *" }),
      [
        'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
      ],
    ],
    [
      "the zone of whatever machine",
      draft({ timeZone: "Local" }),
      [
        'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      ],
    ],
    [
      "a zone that is written otherwise",
      draft({ timeZone: "US/EASTERN" }),
      ['spec.timeZone: Invalid value: "US/EASTERN": unknown time zone US/EASTERN'],
    ],
    ["a zone that is none", draft({ timeZone: "+02" }), ['spec.timeZone: Invalid value: "+02": unknown time zone +02']],
    [
      "an unknown policy",
      draft({ concurrencyPolicy: "forbid" as "Forbid" }),
      ['spec.concurrencyPolicy: Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"'],
    ],
    [
      "a selector for the jobs",
      draft({ jobTemplate: { spec: { ...jobTemplate.spec, selector: {} } } }),
      ["spec.jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated"],
    ],
  ];
  it.each(rows)("says %s", (_name, value, expected) => {
    expect(createErrors(cronJob, value)).toEqual(expected);
  });

  it("has a name that leaves room for those of its jobs", () => {
    const name = "n".repeat(53);
    expect(createErrors(cronJob, { ...draft(), metadata: { name } })).toEqual([
      `metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ]);
  });

  it("may keep a zone in its schedule, but is warned", () => {
    const old = draft({ schedule: "CRON_TZ=UTC @daily" });
    expect(updateErrors(cronJob, old, old)).toEqual([]);
    const object = completed(cronJob, old);
    expect(all(cronJob.hooks?.warn?.(object, object, context))).toEqual([
      "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
    ]);
  });
});

describe("schedules", () => {
  it.each(["* * * * *", "*/5 0-23/2 1,15 jan-mar MON-fri", "0 0 31 12 6", "? ? ? ? ?", "@daily", "@every 1h30m"])(
    "%s is one",
    (text) => {
      expect(parseSchedule(text)).toBeTypeOf("object");
    },
  );

  const bad: [string, string][] = [
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
    ["@never", "unrecognized descriptor: @never"],
    ["@every x", 'failed to parse duration @every x: time: invalid duration "x"'],
  ];
  it.each(bad)("%s is none", (text, problem) => {
    expect(parseSchedule(text)).toBe(problem);
  });

  it("are no longer than it takes to say everything, many times over", () => {
    const listed = (length: number) => `${"1,".repeat(length)}1 * * * *`;
    expect(parseSchedule(listed(2_000))).toMatchObject({ minutes: [1] });
    expect(parseSchedule(listed(2_050))).toBe("must be no more than 4096 characters");
  });

  it("name the values that fit, in order and once", () => {
    expect(parseSchedule("50-59/3,5,5 */8 1,31 feb-MAR sun")).toEqual({
      type: "fields",
      minutes: [5, 50, 53, 56, 59],
      hours: [0, 8, 16],
      days: [1, 31],
      months: [2, 3],
      weekdays: [0],
      needsBothDays: false,
      zone: undefined,
    });
    expect(parseSchedule("TZ=Asia/Tokyo 0/20 , ? */2 */1")).toMatchObject({
      minutes: [0, 20, 40],
      hours: [],
      months: [1, 3, 5, 7, 9, 11],
      needsBothDays: true,
      zone: "Asia/Tokyo",
    });
    expect(parseSchedule("0 0 */2 * 1")).toMatchObject({ needsBothDays: false });
    expect(parseSchedule("@every 1h0m1.9s")).toEqual({ type: "interval", everyMs: 3_601_000 });
    expect(parseSchedule("@every 3ms")).toEqual({ type: "interval", everyMs: 1000 });
  });

  it("are meant in zones that have a name", () => {
    expect(timeZoneProblem("America/New_York")).toBeUndefined();
    expect(timeZoneProblem("x")).toBe("unknown time zone x");
  });

  it("are not meant in zones whose names are longer than any: those are not even looked at", () => {
    const formats = vi.spyOn(Intl, "DateTimeFormat");
    const split = vi.spyOn(String.prototype, "split");
    const zone = "a/".repeat(1_000);
    const errors = [timeZoneProblem(zone), ...createErrors(cronJob, draft({ timeZone: zone }))];
    const longest = Math.max(...split.mock.results.map(({ value }) => (value as string[]).length));
    const { length } = formats.mock.calls;
    vi.restoreAllMocks();
    expect(errors).toEqual([
      expect.stringMatching(/^unknown/),
      expect.stringMatching(/^spec.timeZone: Invalid value: /),
    ]);
    expect(length).toBe(0);
    expect(longest).toBeLessThan(1_000);
  });
});
