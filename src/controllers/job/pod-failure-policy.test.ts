import { describe, expect, it } from "vitest";
import type { PodFailurePolicyRule } from "../../kinds/batch/job/spec.ts";
import { jobPod, type TestJobPod } from "./job.testing.ts";
import { failurePolicyAction } from "./pod-failure-policy.ts";

describe("the action for a failed pod", () => {
  const codes = (
    action: PodFailurePolicyRule["action"],
    operator: "In" | "NotIn",
    values: number[],
    containerName?: string,
  ): PodFailurePolicyRule => ({
    action,
    onExitCodes: { operator, values, ...(containerName === undefined ? {} : { containerName }) },
  });
  const condition = (action: PodFailurePolicyRule["action"], type: string): PodFailurePolicyRule => ({
    action,
    onPodConditions: [{ type, status: "True" }],
  });
  const cases: [
    what: string,
    rules: PodFailurePolicyRule[],
    pod: TestJobPod,
    action: string | undefined,
    why?: string,
  ][] = [
    ["none without rules", [], { exitCode: 1 }, undefined],
    [
      "by a code that is listed",
      [codes("FailJob", "In", [1, 42])],
      { exitCode: 42 },
      "FailJob",
      "Container c for pod n/p failed with exit code 42 matching FailJob rule at index 0",
    ],
    ["not by one that is not", [codes("FailJob", "In", [1, 42])], { exitCode: 2 }, undefined],
    ["by a code that is not excepted", [codes("Ignore", "NotIn", [1])], { exitCode: 2 }, "Ignore"],
    ["not by one that is", [codes("Ignore", "NotIn", [1])], { exitCode: 1 }, undefined],
    ["never by success", [codes("Ignore", "NotIn", [1])], { exitCode: 0 }, undefined],
    ["never while a container runs", [codes("Ignore", "NotIn", [1])], {}, undefined],
    ["by the container that is meant", [codes("FailIndex", "In", [5], "c")], { exitCode: 5 }, "FailIndex"],
    ["not by others", [codes("FailIndex", "In", [5], "other")], { exitCode: 5 }, undefined],
    [
      "by a condition",
      [codes("FailJob", "In", [9]), condition("Ignore", "DisruptionTarget")],
      { condition: "DisruptionTarget", exitCode: 137 },
      "Ignore",
      "Pod n/p has condition DisruptionTarget matching Ignore rule at index 1",
    ],
    [
      "by the first rule that matches",
      [condition("Count", "DisruptionTarget"), codes("FailJob", "In", [137])],
      { condition: "DisruptionTarget", exitCode: 137 },
      "Count",
    ],
  ];
  it.each(cases)("%s", (_what, rules, pod, action, why) => {
    const found = failurePolicyAction({ rules }, jobPod("p", { phase: "Failed", ...pod }));
    expect(found?.action).toBe(action);
    if (why !== undefined) expect(found?.message).toBe(why);
  });
});
