import { describe, expect, it } from "vitest";
import { canonicalTime, formatTime, parseTime, type TimePrecision, timeOfMs } from "./time.ts";

const GOOD: [text: string, precision: TimePrecision, canonical: string | null][] = [
  ["2024-05-06T07:08:09Z", "seconds", "2024-05-06T07:08:09Z"],
  ["2024-05-06T07:08:09.987654321Z", "seconds", "2024-05-06T07:08:09Z"],
  ["2024-05-06T07:08:09+02:00", "seconds", "2024-05-06T05:08:09Z"],
  ["2024-02-29T23:59:59-01:30", "seconds", "2024-03-01T01:29:59Z"],
  ["2024-05-06T7:08:09Z", "seconds", "2024-05-06T07:08:09Z"],
  ["0001-01-01T00:00:00Z", "seconds", null],
  ["0050-01-01T00:00:00Z", "seconds", "0050-01-01T00:00:00Z"],
  ["1969-12-31T23:59:58Z", "seconds", "1969-12-31T23:59:58Z"],
  ["0000-01-01T00:00:00Z", "seconds", "0000-01-01T00:00:00Z"],
  ["9999-12-31T23:59:59Z", "seconds", "9999-12-31T23:59:59Z"],
  ["2024-05-06T07:08:09.000001Z", "micros", "2024-05-06T07:08:09.000001Z"],
  ["2024-05-06T07:08:09,123456+01:00", "micros", "2024-05-06T06:08:09.123456Z"],
];

const SECONDS_LAYOUT = '"2006-01-02T15:04:05Z07:00"';
const BAD: [text: string, precision: TimePrecision, problem: string][] = [
  ["now", "seconds", `parsing time "now" as ${SECONDS_LAYOUT}: cannot parse "now" as "2006"`],
  ["", "seconds", `parsing time "" as ${SECONDS_LAYOUT}: cannot parse "" as "2006"`],
  ["2024-5-06", "seconds", `parsing time "2024-5-06" as ${SECONDS_LAYOUT}: cannot parse "5-06" as "01"`],
  ["2024/05", "seconds", `parsing time "2024/05" as ${SECONDS_LAYOUT}: cannot parse "/05" as "-"`],
  ["2024-13-01T00:00:00Z", "seconds", 'parsing time "2024-13-01T00:00:00Z": month out of range'],
  ["2023-02-29T00:00:00Z", "seconds", 'parsing time "2023-02-29T00:00:00Z": day out of range'],
  ["2024-01-01T24:00:00Z", "seconds", 'parsing time "2024-01-01T24:00:00Z": hour out of range'],
  [
    "2024-01-01T00:00:00",
    "seconds",
    `parsing time "2024-01-01T00:00:00" as ${SECONDS_LAYOUT}: cannot parse "" as "Z07:00"`,
  ],
  ["2024-01-01T00:00:00Zx", "seconds", 'parsing time "2024-01-01T00:00:00Zx": extra text: "x"'],
  [
    "2025-01-01T00:00:00Z",
    "micros",
    'parsing time "2025-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
];

describe("times", () => {
  it.each(GOOD)("%s with %s is written %s", (text, precision, canonical) => {
    expect(canonicalTime(text, precision)).toEqual({ text: canonical });
  });

  it.each(BAD)("%j with %s is refused in upstream's words", (text, precision, problem) => {
    expect(canonicalTime(text, precision)).toEqual({ problem });
  });

  it.each([
    ["0000-01-01T00:00:00+00:01", "seconds"],
    ["9999-12-31T23:59:59-00:01", "seconds"],
    ["9999-12-31T23:59:59.000000-01:00", "micros"],
  ] as const)("%s, whose year in UTC has no four digits, is refused", (text, precision) => {
    expect(canonicalTime(text, precision)).toEqual({ problem: `parsing time "${text}": year out of range` });
  });

  it("a clock's reading is written with the precision asked for", () => {
    expect(timeOfMs(1_700_000_000_123)).toBe("2023-11-14T22:13:20Z");
    expect(timeOfMs(1_700_000_000_123, "micros")).toBe("2023-11-14T22:13:20.123000Z");
  });

  it("what is written reads back", () => {
    const instant = { epochSeconds: -1, nanos: 5000 };
    expect(parseTime(formatTime(instant, "micros") ?? "", "micros")).toEqual(instant);
  });
});
