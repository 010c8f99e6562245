// What jobs must say, what may change in them, what may be reported about them.

import { describe, expect, it } from "vitest";
import { context, created } from "../../complete.testing.ts";
import type { Draft } from "../../define-kind.ts";
import { all, createErrors, createWarnings, updateErrors } from "../../validation.testing.ts";
import { type Job, job } from "../job.ts";

type Spec = NonNullable<Draft<Job>["spec"]>;
type Status = NonNullable<Draft<Job>["status"]>;

const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "main", image: "i" }] } };
const draft = (spec: Partial<Spec> = {}, status: Partial<Status> = {}): Draft<Job> => ({
  metadata: { name: "j", uid: "u" },
  spec: { template, ...spec },
  status,
});
const indexed = (spec: Partial<Spec> = {}) => draft({ completionMode: "Indexed", completions: 3, ...spec });
const odd = <T>(value: unknown): T => value as T;

describe("Job", () => {
  const rows: [string, Draft<Job>, string[]][] = [
    ["nothing wrong", draft(), []],
    [
      "less than nothing",
      draft({ parallelism: -1, backoffLimit: -1 }),
      [
        "spec.parallelism: Invalid value: -1: must be greater than or equal to 0",
        "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
      ],
    ],
    [
      "pods that never end",
      draft({ template: { spec: { containers: template.spec.containers } } }),
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      "an unknown mode",
      draft({ completionMode: odd("X") }),
      ['spec.completionMode: Unsupported value: "X": supported values: "NonIndexed", "Indexed"'],
    ],
    [
      "limits per index without indexes",
      draft({ backoffLimitPerIndex: 1 }),
      ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
    ],
    [
      "a manager without a domain",
      draft({ managedBy: "bad name" }),
      ['spec.managedBy: Invalid value: "bad name": must be a domain-prefixed path (such as "acme.io/foo")'],
    ],
    ["a manager without a name", draft({ managedBy: "" }), ["spec.managedBy: Required value"]],
    [
      "a rule about nothing",
      draft({ podFailurePolicy: { rules: [odd({})] } }),
      [
        'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
      ],
    ],
    [
      "codes out of order",
      draft({ podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [5, 0] } }] } }),
      [
        "spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator",
        "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [5,0]: must be ordered",
      ],
    ],
    [
      "success without indexes",
      draft({ successPolicy: { rules: [{}] } }),
      [
        'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":null}]}: requires indexed completion mode',
      ],
    ],
    [
      "indexes beyond the end",
      indexed({ successPolicy: { rules: [{ succeededIndexes: "0,2-4" }] } }),
      [
        'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0,2-4": error parsing succeededIndexes: too large index: "4"',
      ],
    ],
    [
      "a selector beside the one that is made",
      draft({ selector: { matchLabels: { a: "b" } } }),
      [
        'spec.selector: Invalid value: {"matchLabels":{"a":"b","batch.kubernetes.io/controller-uid":"u"}}: `selector` not auto-generated',
        'spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":"u","batch.kubernetes.io/job-name":"j","controller-uid":"u","job-name":"j"}: `selector` does not match template `labels`',
      ],
    ],
  ];
  it.each(rows)("says %s", (_name, value, expected) => {
    expect(createErrors(job, value)).toEqual(expected);
  });

  const update = (spec: Partial<Spec>, old: Partial<Spec> = {}) => {
    const before = created(job, draft(old));
    const after = { ...before, spec: { ...before.spec, ...odd<Job["spec"]>(spec) } };
    return all(job.hooks?.validateUpdate?.(after, before, context)).map(({ field, detail }) => `${field}: ${detail}`);
  };

  it("keeps what its pods were made from", () => {
    expect(update({ parallelism: 5, suspend: true })).toEqual([]);
    expect(update({ completions: 5 })).toEqual(["spec.completions: field is immutable"]);
    expect(update({ completionMode: "Indexed" })).toEqual(["spec.completionMode: field is immutable"]);
    expect(update({ completions: 4 }, { completionMode: "Indexed", completions: 3, parallelism: 3 })).toEqual([
      "spec.completions: can only be modified in tandem with spec.parallelism",
    ]);
  });

  it("may be told where to run as long as it waits", () => {
    const moved = (suspend: boolean) => {
      const before = created(job, draft({ suspend }));
      const pods = before.spec.template;
      const after = {
        ...before,
        spec: { ...before.spec, template: { ...pods, spec: { ...pods.spec, nodeSelector: { a: "b" } } } },
      };
      return all(job.hooks?.validateUpdate?.(after, before, context)).map(({ field }) => field);
    };
    expect(moved(true)).toEqual([]);
    expect(moved(false)).toEqual(["spec.template"]);
  });

  const report = (status: Partial<Status>, old: Partial<Status> = {}, spec: Partial<Spec> = {}) =>
    updateErrors(job, draft(spec, status), draft(spec, old), "status", { ...context, gateEnabled: () => true });
  const is = (type: string) => ({ type, status: "True" });

  it("is reported on without steps back", () => {
    expect(report({ active: -1 })).toEqual(["status.active: Invalid value: -1: must be greater than or equal to 0"]);
    expect(report({ failed: 1 }, { failed: 2 })).toEqual([
      "status.failed: Invalid value: 1: cannot decrease the failed counter",
    ]);
    expect(report({}, { conditions: [is("FailureTarget")] })).toEqual([
      "status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition",
    ]);
  });

  it("begins anew when it is resumed, and only then", () => {
    const suspended = (status: string) => [{ type: "Suspended", status }];
    const before = { startTime: "2030-01-01T00:00:00Z", conditions: suspended("True") };
    const after = { startTime: "2030-01-01T01:00:00Z" };
    expect(report({ ...after, conditions: suspended("False") }, before)).toEqual([]);
    expect(report({ ...after, conditions: suspended("True") }, before)).toEqual([
      "status.startTime: Required value: startTime cannot be removed for unsuspended job",
    ]);
  });

  it("ends with the conditions that say why", () => {
    expect(report({ conditions: [is("Complete")] })).toEqual([
      "status.completionTime: Required value: completionTime is required for Complete jobs",
      "status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
      "status.startTime: Required value: startTime is required for finished job",
    ]);
  });

  it("has no index that has both failed and succeeded", () => {
    const spec = { completionMode: "Indexed" as const, completions: 9, backoffLimitPerIndex: 1 };
    expect(report({ completedIndexes: "0-3,5", failedIndexes: "3-4" }, {}, spec)).toEqual([
      'status.failedIndexes: Invalid value: "3-4": failedIndexes and completedIndexes overlap at index: 3',
    ]);
  });

  it("is warned about more than can be followed", () => {
    const [warning] = createWarnings(job, indexed({ completions: 100_001, parallelism: 10_001 }));
    expect(warning).toContain("Kubernetes might not be able to track completedIndexes");
  });
});
