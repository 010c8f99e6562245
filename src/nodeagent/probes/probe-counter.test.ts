import { expect, it } from "vitest";
import { countCheck, type ProbeCount, UNPROBED } from "./probe-counter.ts";

it.each<[string, number, number, string]>([
  // Results, success threshold, failure threshold, the verdict after each check.
  ["SSS", 1, 3, "SSS"],
  ["FFF", 1, 3, "--F"],
  ["SFFSFFF", 1, 3, "SSSSSSF"],
  ["SFFFSFFF", 1, 3, "SSSFSSSF"],
  ["FSSFS", 2, 1, "FFSFF"],
  ["F", 1, 1, "F"],
])("checks %s with thresholds %d and %d give %s", (checks, success, failure, verdicts) => {
  let count: ProbeCount = UNPROBED;
  const seen = [...checks].map((check) => {
    count = countCheck(count, check === "S" ? "success" : "failure", { success, failure });
    return count.verdict === undefined ? "-" : count.verdict === "success" ? "S" : "F";
  });
  expect(seen.join("")).toBe(verdicts);
});
