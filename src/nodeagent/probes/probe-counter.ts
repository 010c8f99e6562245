// When checks make a verdict: so many of the same in a row change it. Pure.

export type CheckResult = "success" | "failure";

interface Thresholds {
  readonly success: number;
  readonly failure: number;
}

export interface ProbeCount {
  readonly verdict: CheckResult | undefined;
  /** The result of the last check, and how often in a row it came. */
  readonly last: CheckResult | undefined;
  readonly run: number;
}

/** Before the first check. */
export const UNPROBED: ProbeCount = { verdict: undefined, last: undefined, run: 0 };

export function countCheck(count: ProbeCount, result: CheckResult, thresholds: Thresholds): ProbeCount {
  const run = count.last === result ? count.run + 1 : 1;
  const verdict = run >= thresholds[result] ? result : count.verdict;
  return { verdict, last: result, run };
}
