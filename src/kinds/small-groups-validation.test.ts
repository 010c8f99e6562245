// What disruption budgets, priorities, runtimes and leases must say: one row per rule.

import { describe, expect, it } from "vitest";
import { lease } from "./coordination/lease.ts";
import type { Draft, Kind } from "./define-kind.ts";
import { runtimeClass } from "./node/runtime-class.ts";
import { podDisruptionBudget } from "./policy/pod-disruption-budget.ts";
import { priorityClass } from "./scheduling/priority-class.ts";
import { createErrors, updateErrors } from "./validation.testing.ts";

const draft = <T>(body: object) => ({ metadata: { name: "a", namespace: "n" }, ...body }) as unknown as Draft<T>;
const errorsOf = <T>(kind: Kind<T>, body: object) => createErrors(kind, draft<T>(body));
const changesOf = <T>(kind: Kind<T>, body: object, old: object, part?: string) =>
  updateErrors(kind, draft<T>(body), draft<T>(old), part);

describe("a disruption budget", () => {
  it.each([
    [{ minAvailable: "50%" }, []],
    [{ minAvailable: "101%" }, ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']],
    [
      { minAvailable: 1, maxUnavailable: 1 },
      [
        'spec: Invalid value: {"MinAvailable":1,"Selector":null,"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
      ],
    ],
  ])("%j", (spec, errors) => {
    expect(errorsOf(podDisruptionBudget, { spec })).toEqual(errors);
  });

  it("has a status with whole conditions", () => {
    const status = { conditions: [{ type: "a", status: "X" }], disruptionsAllowed: -1 };
    expect(changesOf(podDisruptionBudget, { status }, {}, "status")).toEqual([
      'status.conditions[0].status: Unsupported value: "X": supported values: "False", "True", "Unknown"',
      "status.conditions[0].lastTransitionTime: Required value",
      "status.conditions[0].reason: Required value",
      "status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });
});

describe("a priority class", () => {
  const reserved = "priority class names with 'system-' prefix are reserved for system use only. error:";

  it.each([
    [{ value: 1 }, []],
    [{ value: 1_000_000_001 }, ["value: Forbidden: maximum allowed value of a user defined priority is 1000000000"]],
    [
      { metadata: { name: "system-x" }, value: 1 },
      [`metadata.name: Forbidden: ${reserved} system-x is not a known system priority class`],
    ],
    [{ metadata: { name: "system-cluster-critical" }, value: 2_000_000_000 }, []],
  ])("%j", (body, errors) => {
    expect(errorsOf(priorityClass, body)).toEqual(errors);
  });

  it("keeps its value", () => {
    expect(changesOf(priorityClass, { value: 2 }, { value: 1 })).toEqual([
      "value: Forbidden: may not be changed in an update.",
    ]);
  });
});

describe("a runtime class", () => {
  it.each([
    [{ handler: "h" }, []],
    [
      { handler: "h", overhead: { podFixed: { cpu: "-1" } } },
      ['overhead.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0'],
    ],
    [
      { handler: "h", scheduling: { tolerations: [{ key: "a" }, { key: "a" }] } },
      [
        'scheduling.tolerations[1]: Duplicate value: {"Key":"a","Operator":"","Value":"","Effect":"","TolerationSeconds":null}',
      ],
    ],
  ])("%j", (body, errors) => {
    expect(errorsOf(runtimeClass, body)).toEqual(errors);
  });

  it("keeps its handler", () => {
    expect(changesOf(runtimeClass, { handler: "x" }, { handler: "h" })).toEqual([
      'handler: Invalid value: "x": field is immutable',
    ]);
  });
});

describe("a lease", () => {
  it.each([
    [{ leaseDurationSeconds: 1 }, []],
    [{ leaseDurationSeconds: 0 }, ["spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0"]],
    [{ leaseTransitions: -1 }, ["spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0"]],
  ])("%j", (spec, errors) => {
    expect(errorsOf(lease, { spec })).toEqual(errors);
  });
});
