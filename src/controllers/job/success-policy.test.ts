import { describe, expect, it } from "vitest";
import { IndexSet } from "./index-set.ts";
import { testJob } from "./job.testing.ts";
import { metSuccessRule } from "./success-policy.ts";

describe("an early success", () => {
  const cases: [
    rules: { succeededIndexes?: string; succeededCount?: number }[],
    done: string,
    met: string | undefined,
  ][] = [
    [[{ succeededCount: 2 }], "0", undefined],
    [[{ succeededCount: 2 }], "0,7", "Matched rules at index 0"],
    [[{ succeededIndexes: "0,2-3" }], "0-2", undefined],
    [[{ succeededIndexes: "0,2-3" }], "0-3", "Matched rules at index 0"],
    [[{ succeededIndexes: "0-5", succeededCount: 2 }], "5-9", undefined],
    [[{ succeededIndexes: "0-5", succeededCount: 2 }], "4-9", "Matched rules at index 0"],
    [[{ succeededIndexes: "0" }, { succeededIndexes: "1" }], "1", "Matched rules at index 1"],
    [[{ succeededIndexes: "nonsense" }], "0-9", undefined],
    [[{ succeededCount: 0 }], "", undefined],
  ];
  it.each(cases)("by %j with %j done: %s", (rules, done, met) => {
    const job = testJob({ completionMode: "Indexed", completions: 10, successPolicy: { rules } });
    expect(metSuccessRule(job, IndexSet.parse(done, 10))).toBe(met);
  });
});
