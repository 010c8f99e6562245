import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { durationMs, formatDuration, parseDuration, parseSpelledDuration } from "./duration.ts";

const GOOD: [text: string, nanos: bigint, canonical: string][] = [
  ["0", 0n, "0s"],
  ["1h", 3_600_000_000_000n, "1h0m0s"],
  ["90s", 90_000_000_000n, "1m30s"],
  ["1.5h", 5_400_000_000_000n, "1h30m0s"],
  ["-1.5s", -1_500_000_000n, "-1.5s"],
  ["+5m", 300_000_000_000n, "5m0s"],
  ["1500us", 1_500_000n, "1.5ms"],
  ["3\u00b5s", 3_000n, "3\u00b5s"],
  [".5s", 500_000_000n, "500ms"],
  ["1h2m3s4ms", 3_723_004_000_000n, "1h2m3.004s"],
  ["-9223372036854775808ns", -(2n ** 63n), "-2562047h47m16.854775808s"],
];

const BAD: [text: string, problem: string][] = [
  ["", 'time: invalid duration ""'],
  ["-", 'time: invalid duration "-"'],
  ["abc", 'time: invalid duration "abc"'],
  ["5", 'time: missing unit in duration "5"'],
  ["5x", 'time: unknown unit "x" in duration "5x"'],
  [".s", 'time: invalid duration ".s"'],
  ["9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'],
];

describe("durations with spelled-out units", () => {
  const SECOND = 1_000_000_000n;
  it.each<[text: string, nanos: bigint | undefined]>([
    ["1h30m", 5_400n * SECOND],
    ["-1.5s", (-3n * SECOND) / 2n],
    ["3 days", 259_200n * SECOND],
    ["2 Weeks and 1 hour", 1_213_200n * SECOND],
    ["5 minutes, 30 seconds", 330n * SECOND],
    ["10 microseconds", 10_000n],
    ["1 wk", 604_800n * SECOND],
    ["1 month 2s", 2n * SECOND],
    ["9223372036854775808 days", undefined],
    ["15 fortnights", undefined],
    ["soon", undefined],
    ["", undefined],
  ])("%s", (text, nanos) => {
    expect(parseSpelledDuration(text)).toBe(nanos);
  });

  it("are looked for in one pass, however long the text", () => {
    expect(parseSpelledDuration("1".repeat(1 << 20))).toBeUndefined();
    expect(parseSpelledDuration(`${"1 ".repeat(1 << 19)}`)).toBeUndefined();
  });
});

describe("durations", () => {
  it.each(GOOD)("%s is %d ns and written %s", (text, nanos, canonical) => {
    expect(parseDuration(text)).toBe(nanos);
    expect(formatDuration(nanos)).toBe(canonical);
  });

  it.each(BAD)("%j is refused: %s", (text, problem) => {
    expect(parseDuration(text)).toBe(problem);
  });

  it("what is written reads back", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (nanos) => {
        expect(parseDuration(formatDuration(nanos))).toBe(nanos);
      }),
    );
  });

  it("timers get milliseconds", () => {
    expect(durationMs("1m0.5s")).toBe(60_500);
    expect(durationMs("soon")).toBeUndefined();
  });
});
